import { describe, expect, it } from 'vitest';
import { pickSignature, signatureKeys } from '../../src/text/index.ts';
import { createRandom, type Random } from './random.ts';

function keysOf(text: string): ReturnType<typeof signatureKeys> {
  const picked = pickSignature(text);
  if (picked === undefined) throw new Error(`no signature in ${text}`);
  return signatureKeys(picked.display);
}

const BASE = "Error: ENOENT: no such file or directory, open '/home/ana/app/src/cfg.json'";

describe('pickSignature', () => {
  it.each([
    [
      'a TypeScript compiler',
      "src/a.ts(12,5): error TS2345: Argument of type 'string' is not assignable.",
      /^src\/a\.ts\(12,5\): error TS2345/,
      'strong',
    ],
    ['Rust', 'error[E0382]: borrow of moved value: `x`\n --> src/main.rs:5:3\n', /^error\[E0382\]/, 'strong'],
    ['git', 'fatal: not a git repository (or any of the parent directories): .git', /^fatal: not a git/, 'weak'],
    [
      'Go',
      'panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.main()',
      /^panic: runtime error/,
      'weak',
    ],
    [
      'Java in a log',
      '2026-03-01 12:00:00,123 ERROR [main] c.f.Loader - java.lang.NullPointerException: name is null\n\tat c.f.Loader.run(Loader.java:12)',
      /^java\.lang\.NullPointerException/,
      'strong',
    ],
    ['a shell', 'bash: line 3: frobnicate: command not found', /^frobnicate: command not found/, 'weak'],
    ['a signal', 'Segmentation fault (core dumped)', /^Segmentation fault/, 'weak'],
    ['an exit code alone', 'The process exited with code 137', /exited with code 137/, 'strong'],
    [
      'GitHub Actions',
      '2026-03-01T00:00:00.1234567Z ##[error]Error: connect ECONNREFUSED 127.0.0.1:5432',
      /^Error: connect ECONNREFUSED/,
      'strong',
    ],
    ['npm', 'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree', /ERESOLVE/, 'strong'],
    ['PostgreSQL', 'ERROR:  relation "users" does not exist (SQLSTATE 42P01)', /relation "users"/, 'strong'],
  ] as const)('finds the line of %s', (_, text, display, strength) => {
    const picked = pickSignature(text);
    expect(picked?.display).toMatch(display);
    expect(picked?.class).toBe(strength);
  });

  it.each([
    [
      'npm says the code first',
      "npm ERR! code EACCES\nnpm ERR! syscall mkdir\nnpm ERR! errno -13\nnpm ERR! Error: EACCES: permission denied, mkdir '/x'",
      "Error: EACCES: permission denied, mkdir '/x'",
    ],
    [
      'Rust says why on the next line',
      "thread 'main' panicked at src/main.rs:4:5:\ncalled `Option::unwrap()` on a `None` value",
      "thread 'main' panicked at src/main.rs:4:5: called `Option::unwrap()` on a `None` value",
    ],
    [
      'webpack says where first',
      "ERROR in ./src/index.js 3:0-24\nModule not found: Error: Can't resolve './foo' in '/app/src'",
      "Module not found: Error: Can't resolve './foo' in '/app/src'",
    ],
    [
      'an annotation marks words that no rule knows',
      "::error file=src/a.ts,line=3,col=5::Type 'x' is not assignable",
      "Type 'x' is not assignable",
    ],
    ['pytest marks the line', 'E   AssertionError: assert 3 == 4', 'AssertionError: assert 3 == 4'],
    ['Python logs with colons', 'ERROR:app.loader:could not open the pool', 'could not open the pool'],
  ])('where %s', (_, text, display) => {
    expect(pickSignature(text)?.display).toBe(display);
  });

  it.each([
    'We should improve how the parser reports problems to its callers',
    'Add a retry to the upload worker',
    '',
    ' \n ',
  ])('finds none in %j', (text) => {
    expect(pickSignature(text)).toBeUndefined();
  });

  it('does not take a long sentence that names a code for an error', () => {
    const prose = `The loader should treat ENOENT as an empty configuration and every other code as a failure, because ${'users '.repeat(20)}`;
    expect(pickSignature(prose)?.class).not.toBe('strong');
  });

  it('takes the last error of a Python trace, and skips the frames', () => {
    const trace = [
      'Traceback (most recent call last):',
      '  File "/srv/app/load.py", line 3, in load',
      "    raise KeyError('a')",
      "KeyError: 'a'",
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "/srv/app/main.py", line 9, in <module>',
      'app.errors.ConfigError: no configuration',
    ].join('\n');
    expect(pickSignature(trace)?.display).toBe('app.errors.ConfigError: no configuration');
  });

  it('gives the innermost cause as a second candidate', () => {
    const trace = [
      'org.app.StartException: could not start',
      '\tat org.app.Main.main(Main.java:3)',
      'Caused by: org.app.PoolException: no pool',
      '\tat org.app.Pool.open(Pool.java:7)',
      'Caused by: java.net.ConnectException: Connection refused',
      '\t... 3 more',
    ].join('\n');
    expect(pickSignature(trace)).toMatchObject({
      display: 'org.app.StartException: could not start',
      second: 'java.net.ConnectException: Connection refused',
    });
  });

  it('M91: finds the compiler error in a 20 KB log of a package manager, at most 300 characters long', () => {
    const noise = Array.from(
      { length: 150 },
      (_, i) => `    at step${i} (/build/node_modules/tool/lib/run.js:${i}:7)`,
    ).join('\n');
    const log = [
      '> app@1.0.0 build',
      '> tsc -p .',
      '',
      `src/loader.ts(12,5): error TS2345: Argument of type '${'A | '.repeat(100)}B' is not assignable to parameter of type 'C'.`,
      noise,
      noise,
      'npm ERR! Lifecycle script `build` failed with error:',
      'npm ERR! Error: command failed with exit code 2',
      'npm ERR! A complete log of this run can be found in: /root/.npm/_logs/debug-0.log',
    ].join('\n');
    expect(log.length).toBeGreaterThan(15_000);
    const picked = pickSignature(log);
    expect(picked?.display).toMatch(/error TS2345/);
    expect(Array.from(picked?.display ?? '').length).toBeLessThanOrEqual(300);
    expect(picked?.display).not.toMatch(/step\d/);
  });

  it('redacts a secret in the line', () => {
    const secret = `gh${'p'}_${'a1B2c3D4e5'.repeat(4)}`;
    expect(pickSignature(`Error: EACCES: token ${secret} refused`)?.display).not.toContain(secret);
  });

  it('gives the same display for a display', () => {
    const display = pickSignature(BASE)?.display ?? '';
    expect(pickSignature(display)?.display).toBe(display);
  });
});

describe('signatureKeys', () => {
  it.each([
    ['another user', BASE.replace('/home/ana/app', '/home/bo/work')],
    ['a deeper folder', BASE.replace('/src/', '/packages/core/src/')],
    ['the other separator', "Error: ENOENT: no such file or directory, open 'C:\\Users\\bo\\app\\src\\cfg.json'"],
    ['a line and column', BASE.replace("cfg.json'", "cfg.json:12:5'")],
    ['a Windows position', "Error: ENOENT: no such file or directory, open 'C:\\app\\cfg.json(12,5)'"],
    ['a time before it', `2026-03-01T10:11:12.345Z ${BASE}`],
    ['level, thread and logger', `2026-03-01 10:11:12,345 ERROR [worker-1] app.loader - ${BASE}`],
    ['curly quotes', BASE.replace(/'([^']+)'/, '“$1”')],
    ['backticks', BASE.replace(/'([^']+)'/, '`$1`')],
    ['colours', `\x1b[31m${BASE}\x1b[39m`],
    [
      'a wrapper around it',
      `npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n${BASE}\nError: Command failed with exit code 1`,
    ],
    ['a file URL', BASE.replace('/home/ana', 'file:///home/ana')],
    ['capitals and closing punctuation', `${BASE}.`],
    ['a prompt', `$ ${BASE}`],
  ])('M88: %s changes no key', (_, text) => {
    expect(keysOf(text).exact).toBe(keysOf(BASE).exact);
    expect(keysOf(text).core).toBe(keysOf(BASE).core);
  });

  it.each([
    [
      'an address',
      'Fatal: Widget at 0x7ffee3a0 is gone (ERR_GONE)',
      'Fatal: Widget at 0x00007f12ab is gone (ERR_GONE)',
    ],
    ['an address and a port', 'connect ECONNREFUSED 127.0.0.1:4410', 'connect ECONNREFUSED 10.0.0.7:5432'],
    ['a version', 'ERESOLVE could not resolve left-pad@1.3.0', 'ERESOLVE could not resolve left-pad@2.0.1-beta.3'],
    ['a runtime version', 'ERR_ENGINE: needs node v20.11.1', 'ERR_ENGINE: needs node v22.1.0'],
    ['a duration', 'ETIMEDOUT after 1,204.5 ms', 'ETIMEDOUT after 30 s'],
    ['a size', 'ERR_TOO_LARGE: got 12 MB', 'ERR_TOO_LARGE: got 900 kB'],
    [
      'a uuid',
      'ERR_JOB: job 3f2b1c4d-0a1b-4c2d-8e3f-001122334455 died',
      'ERR_JOB: job 11111111-2222-4333-8444-555555555555 died',
    ],
    ['a hash', 'ERR_OBJECT: bad object 4f2a9c1 in store', 'ERR_OBJECT: bad object 91ab22ef0 in store'],
    ['a free number', 'IndexError: list index 3 out of 12', 'IndexError: list index 40 out of 41'],
    [
      'a generated file name',
      "ENOENT: open '/tmp/build-8f3a2c1b9d/out.js'",
      "ENOENT: open '/tmp/build-aa11bb22cc/out.js'",
    ],
    [
      'a bundler prefix',
      'TypeError: x is not a function at webpack:///./src/app.js:10:3',
      'TypeError: x is not a function at webpack-internal:///./src/app.js:99:1',
    ],
    [
      "the compiler's way to write a position",
      'src/a.ts(12,5): error TS2345: no overload',
      'lib/x/a.ts:7:1 - error TS2345: no overload',
    ],
    [
      'the word for a line',
      'SyntaxError: bad token at line 12, column 5',
      'SyntaxError: bad token at line 99, column 1',
    ],
  ])('M88: %s changes no key', (_, a, b) => {
    expect(keysOf(a).exact).toBe(keysOf(b).exact);
  });

  it('M88: a message that was cut shares the core key', () => {
    const whole = "TypeError: Cannot read properties of undefined (reading 'map') while rendering the list of entries";
    const cut = "TypeError: Cannot read properties of undefined (reading 'map') while ren…";
    expect(keysOf(cut).exact).not.toBe(keysOf(whole).exact);
    expect(keysOf(cut).core).toBe(keysOf(whole).core);
    expect(keysOf(cut).core).toBeDefined();
  });

  it.each([
    ['TS2345 and TS2339', "error TS2345: in 'x'", "error TS2339: in 'x'"],
    ['two exit codes', 'process exited with exit code 1', 'process exited with exit code 137'],
    ['two files', "ENOENT: no such file, open 'a.json'", "ENOENT: no such file, open 'b.json'"],
    ['two HRESULTs', 'Access failed: 0x80070005', 'Access failed: 0x80070020'],
    ['two HTTP statuses', 'request failed with HTTP 404', 'request failed with HTTP 503'],
    ['two errnos', "[Errno 2] 'cfg'", "[Errno 13] 'cfg'"],
    ['two classes', "KeyError: 'a'", "ValueError: 'a'"],
    ['two Rust codes', 'error[E0382]: borrow of `x`', 'error[E0502]: borrow of `x`'],
    [
      'two missing modules',
      "ModuleNotFoundError: No module named 'yaml'",
      "ModuleNotFoundError: No module named 'toml'",
    ],
    ['two Oracle codes', "ORA-00942: table 'x'", "ORA-00001: table 'x'"],
  ])('M89: %s never share a key', (_, a, b) => {
    expect(keysOf(a).exact).not.toBe(keysOf(b).exact);
    const [left, right] = [keysOf(a).core, keysOf(b).core];
    expect(left === undefined || left !== right).toBe(true);
  });

  it('M90: the same error in German and French shares the core key', () => {
    const german = "ENOENT: Datei oder Verzeichnis nicht gefunden, open '/home/ana/cfg.json'";
    const french = 'ENOENT: aucun fichier ou dossier de ce type, open « /home/luc/cfg.json »';
    expect(keysOf(german).core).toBeDefined();
    expect(keysOf(german).core).toBe(keysOf(french).core);
    expect(keysOf(german).exact).not.toBe(keysOf(french).exact);
  });

  it('gives no core key to a weak signature or to a class alone', () => {
    expect(signatureKeys('fatal: not a git repository').core).toBeUndefined();
    expect(signatureKeys('TypeError: x').core).toBeUndefined();
  });
});

/** Errors with places for what varies; `{path}` and `{file}` are filled anew for each occurrence, `{file}` keeps its name. */
const TEMPLATES: readonly string[] = [
  "Error: ENOENT: no such file or directory, open '{dir}cfg.json'",
  "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from {dir}index.mjs",
  "{dir}app.ts:{n}:{n} - error TS2339: Property 'foo' does not exist on type 'Bar'.",
  "TypeError: Cannot read properties of undefined (reading 'map') at {dir}App.jsx:{n}:{n}",
  'connect ECONNREFUSED {ip}:{port}',
  'java.lang.IllegalStateException: worker {n} lost its lease after {n} ms',
  "sqlite3.OperationalError: no such table: users in '{dir}app.db'",
  'ERESOLVE could not resolve left-pad@{version} with node v{version}',
  'error[E0382]: borrow of moved value: `x` at {dir}main.rs:{n}:{n}',
  'ORA-00942: table or view does not exist at line {n}',
  'HTTP 503 from {ip}:{port} after {n} s (request {uuid})',
  'ValueError: got {n} bytes at 0x7f{hex}, object {hex}{hex}',
];

function occurrence(template: string, random: Random): string {
  const fill = (name: string): string => {
    const windows = random.int(0, 3) === 0;
    switch (name) {
      case 'dir':
        return windows
          ? `C:\\Users\\${random.words(1)}\\app\\`
          : `/${random.pick(['home', 'srv', 'Users'])}/${random.words(2).replace(' ', '/')}/`;
      case 'n':
        return String(random.int(2, 9_999));
      case 'ip':
        return `${random.int(1, 250)}.${random.int(0, 250)}.${random.int(0, 250)}.${random.int(1, 250)}`;
      case 'port':
        return String(random.int(1_024, 65_000));
      case 'version':
        return `${random.int(0, 30)}.${random.int(0, 99)}.${random.int(0, 9)}`;
      case 'uuid':
        return `${random.text('0123456789abcdef', 8)}-${random.text('0123456789abcdef', 4)}-4abc-8abc-${random.text('0123456789abcdef', 12)}`;
      default:
        return `a${random.int(1, 9)}${random.text('0123456789abcdef', 4)}`;
    }
  };
  const line = template.replace(/\{(\w+)\}/g, (_, name: string) => fill(name));
  return random.pick([
    line,
    `2026-0${random.int(1, 9)}-1${random.int(0, 9)}T10:${random.int(10, 59)}:12.${random.int(100, 999)}Z ${line}`,
    `[10:${random.int(10, 59)}:12] [ERROR] ${line}`,
    `\x1b[31m${line}\x1b[39m`,
    `> app@1.0.0 build\n> run\n\n${line}\n    at x (y.js:1:2)\nnpm ERR! Lifecycle script \`build\` failed with error:\nError: command failed with exit code 1`,
    line.replace(/'([^']*)'/g, '“$1”'),
    `web-1  | ${line}`,
  ]);
}

describe('keys over many occurrences', () => {
  it('M88: every occurrence of one error has one exact key, and no two errors share one', () => {
    const random = createRandom(23);
    const keys = TEMPLATES.map((template) => {
      const seen = new Map<string, string>();
      for (let i = 0; i < 200; i++) {
        const text = occurrence(template, random);
        seen.set(keysOf(text).exact, text);
      }
      expect(seen.size, [...seen.values()].slice(0, 3).join('\n---\n')).toBe(1);
      return [...seen.keys()][0];
    });
    expect(new Set(keys).size).toBe(TEMPLATES.length);
  });
});
