/**
 * The architecture as a check. `scripts/room-table.json` says which room may import which; every other pair is an
 * error. `cli` is where the program is composed and may import anything. `test/`, `bench/` and `scripts/` are free.
 */
const rooms = require('./scripts/room-table.json');

const anyOf = (names) => `(${names.join('|')})`;

const roomRules = Object.entries(rooms)
  .filter(([, allowed]) => !allowed.includes('*'))
  .map(([room, allowed]) => ({
    name: `room-${room}`,
    comment:
      allowed.length === 0
        ? `${room} imports no other room.`
        : `${room} may import ${allowed.join(', ')} and no other room (scripts/room-table.json).`,
    severity: 'error',
    from: { path: `^src/${room}/` },
    to: { path: '^src/', pathNot: `^src/${anyOf([room, ...allowed])}/` },
  }));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'unknown-room',
      comment: 'A folder of src/ that is not in scripts/room-table.json, or a file outside every room.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${anyOf(Object.keys(rooms))}/` },
      to: {},
    },
    {
      name: 'room-door',
      comment:
        "Another room is entered through its index.ts and nothing else, so that a room's inside can change. The catalog enters through operations.ts, which alone loads the schema library. The guard of standard output is a door of its own: it has to run before anything else is loaded.",
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/[^/]+/operations\\.ts$', '^src/mcp/stdout-guard\\.ts$'],
      },
    },
    {
      name: 'operations-door',
      comment: 'The records of operations are read by the catalog and by nothing else.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '^src/catalog/' },
      to: { path: '^src/[^/]+/operations\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'no-cycle',
      comment: 'No import cycle, those by types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'product-only',
      comment: 'The product does not import its tests, benchmarks or scripts.',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'unresolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'undeclared-package',
      comment: 'A package that package.json does not name works only by accident.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/', '^packages/[^/]+/dist/'] },
    exclude: { path: ['^src/[^/]+/assembly/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
