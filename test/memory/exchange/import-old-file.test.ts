import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importMemory } from '../../../src/memory/exchange/import.ts';
import { forget } from '../../../src/memory/lifecycle/forget.ts';
import { selectEntries } from '../../../src/memory/store/entries.ts';
import type { MemoryHarness } from '../support/harness.ts';
import { useHarness } from './folder.ts';

const start = useHarness();

const vector = (length: number): number[] => Array.from({ length }, (_, i) => (i % 7) / 10 - 0.3);
const note = (topic: string): string =>
  `The ${topic} failed in src/${topic}.ts because its cache was stale; clear it first.`;

function write(harness: MemoryHarness, content: unknown, name = 'old.json'): string {
  const path = join(harness.project, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function entries(harness: MemoryHarness) {
  const { memory } = await harness.runtime.forRead(harness.context, {});
  return memory === undefined ? [] : selectEntries(memory.store.db, "WHERE e.state = 'active' ORDER BY e.key", []);
}

const take = (harness: MemoryHarness, path: string, includeNoise = false) =>
  importMemory(harness.runtime, harness.context, { path, includeNoise });

const SHAPES: { name: string; file: unknown; texts: string[]; rejected?: number; ignored?: Record<string, number> }[] =
  [
    {
      name: 'items written by the old server: no id, created, an embedding',
      file: {
        memories: [
          { content: note('parser'), type: 'decision', created: '2025-03-01T10:00:00.000Z', embedding: vector(384) },
        ],
      },
      texts: [note('parser')],
    },
    {
      name: 'items written by the old command: id, memory_type, timestamp in seconds, embeddings of 64 and 256',
      file: {
        patterns: { 'edit:ts': { q: 1 } },
        memories: [
          {
            id: 'mem_1700000000',
            memory_type: 'project',
            content: note('loader'),
            embedding: vector(64),
            metadata: {},
            timestamp: 1_700_000_000,
          },
          {
            id: 'mem_1700000000',
            memory_type: 'project',
            content: note('writer'),
            embedding: vector(256),
            metadata: {},
            timestamp: 1_700_000_000,
          },
        ],
        trajectories: [{ a: 1 }, { a: 2 }],
      },
      texts: [note('loader'), note('writer')],
      ignored: { patterns: 1, trajectories: 2 },
    },
    {
      name: 'both mixed, and text alone',
      file: {
        memories: [
          { content: note('router') },
          { id: 'mem_1', memory_type: 'code', content: note('socket'), timestamp: 1_700_000_001 },
        ],
      },
      texts: [note('router'), note('socket')],
    },
    {
      name: 'memories as an object, with embeddingProvenance',
      file: {
        embeddingProvenance: { model: 'x' },
        memories: { a: { content: note('queue') }, b: { content: note('timer') } },
      },
      texts: [note('queue'), note('timer')],
    },
    {
      name: 'the output of the old export',
      file: {
        success: true,
        data: {
          version: '2.0',
          exported_at: '2025-01-01T00:00:00Z',
          memories: [{ content: note('index') }],
          agents: { a: 1 },
          edges: [1, 2, 3],
        },
      },
      texts: [note('index')],
      ignored: { agents: 1, edges: 3 },
    },
    {
      name: 'null, a number, a list and an object in place of an item or of its content',
      file: {
        memories: [
          null,
          7,
          ['x'],
          { content: null },
          { content: 5 },
          { content: { a: 1 } },
          {},
          { content: '  ' },
          { content: note('mutex') },
        ],
      },
      texts: [note('mutex')],
      rejected: 8,
    },
  ];

describe('importing an intelligence.json', () => {
  for (const { name, file, texts, rejected = 0, ignored = {} } of SHAPES) {
    it(`M61 takes in ${name}`, async () => {
      const harness = start();
      const path = write(harness, file);
      const before = readFileSync(path);
      const report = await take(harness, path);
      expect((await entries(harness)).map(({ text }) => text)).toEqual(texts);
      expect(report).toMatchObject({
        format: 'intelligence-json',
        imported: texts.length,
        merged: 0,
        rejectedCount: rejected,
      });
      expect(Object.fromEntries(report.ignored.map(({ kind, count }) => [kind, count]))).toEqual(ignored);
      expect(report.salvaged).toBeUndefined();
      expect(readFileSync(path).equals(before)).toBe(true);
    });
  }

  it('M61 keeps times and types, and says where an entry came from', async () => {
    const harness = start();
    await take(harness, write(harness, SHAPES[0]?.file));
    await take(harness, write(harness, SHAPES[1]?.file));
    const [first, second] = await entries(harness);
    expect(first).toMatchObject({ type: 'decision', trust: 'import', createdAt: Date.UTC(2025, 2, 1, 10) });
    expect(second).toMatchObject({ type: 'project', createdAt: 1_700_000_000_000 });
    const { memory } = await harness.runtime.forRead(harness.context, {});
    expect(memory?.store.db.all('SELECT source, file FROM provenance')).toContainEqual({
      source: 'import',
      file: 'old.json',
    });
    // Stored vectors have unknown makers: none of them is taken over.
    expect(memory?.store.db.get('SELECT COUNT(*) AS n FROM vector')).toEqual({ n: 0 });
  });

  it('M61 makes error-fix entries of errors with a fix, and of ERROR-FIX lines', async () => {
    const harness = start();
    const report = await take(
      harness,
      write(harness, {
        memories: [
          {
            content:
              'ERROR-FIX: TS2345 Argument of type string | FIX: convert the port with Number(port) first | SOURCE: docs/solutions/a.md — port was text',
          },
        ],
        errors: {
          E1: { error: 'ENOENT: no such file or directory, open cfg.json', fix: 'run npm run setup before the tests' },
          'fatal: not a git repository': 'run git init in the folder first',
          E3: { error: 'TypeError: x is undefined' },
        },
      }),
    );
    const found = await entries(harness);
    expect(found.map(({ kind }) => kind)).toEqual(['error_fix', 'error_fix', 'error_fix']);
    expect(found.map(({ type }) => type)).toEqual(['context', 'context', 'context']);
    expect(report).toMatchObject({
      imported: 3,
      rejectedCount: 1,
      rejected: [{ at: 'errors[E3]', reason: 'an error without a fix' }],
    });
  });

  it('M61 counts telemetry as noise, and takes it in on request alone', async () => {
    const memories = [
      { content: 'successful edit of ts in project', memory_type: 'edit' },
      { content: 'npm test succeeded', memory_type: 'command' },
      { content: '`git push --force-with-lease` failed' },
      {
        content: 'The build of the parser failed because node was too old; install node 20 first, says docs/build.md.',
      },
    ];
    const harness = start();
    const path = write(harness, { memories });
    expect(await take(harness, path)).toMatchObject({
      imported: 1,
      noise: [
        { kind: 'edit_telemetry', count: 1 },
        { kind: 'command_telemetry', count: 2 },
      ],
    });
    expect(await take(harness, path, true)).toMatchObject({ imported: 3, merged: 1 });
  });

  it('M62 salvages the whole items of a cut file and names the rest', async () => {
    const harness = start();
    const whole = JSON.stringify({
      memories: [{ content: note('alpha') }, null, { content: note('beta') }, { content: note('gamma') }],
    });
    const cut = whole.slice(0, whole.indexOf('gamma') + 3);
    const report = await take(harness, write(harness, cut));
    expect((await entries(harness)).map(({ text }) => text)).toEqual([note('alpha'), note('beta')]);
    expect(report.salvaged).toEqual({
      items: 2,
      problems: ['the file ends in the middle (in memories, after 3 whole items)'],
    });
    expect(report.rejected).toEqual([{ at: 'memories[1]', reason: 'not an object but null' }]);
  });

  it('M62 passes over trailing garbage and items that are no JSON', async () => {
    const harness = start();
    const report = await take(
      harness,
      write(harness, `{"memories":[{"content":${JSON.stringify(note('delta'))}},{"content": oops}]}\n}}garbage`),
    );
    expect(report).toMatchObject({ imported: 1, rejected: [{ at: 'memories[1]', reason: 'damaged' }] });
    expect(report.salvaged?.problems).toEqual([
      'memories[1] is not JSON',
      '9 bytes after the end of the JSON were passed over',
    ]);
  });

  it('M63 keeps 20 items without an id and 20 whose ids collide, also after a restart', async () => {
    const harness = start();
    const memories = Array.from({ length: 40 }, (_, i) => ({
      content: note(`module${i}`),
      ...(i < 20 ? {} : { id: 'mem_1700000000', timestamp: 1_700_000_000 }),
    }));
    await take(harness, write(harness, { memories }));
    const other = harness.another();
    expect(await entries(other)).toHaveLength(40);
    const { memory } = await other.runtime.forRead(other.context, {});
    for (let i = 0; i < 40; i++) {
      const hits = memory?.store.db.all(`SELECT rowid FROM entry_fts WHERE entry_fts MATCH '"module${i}"'`);
      expect(hits, `module${i}`).toHaveLength(1);
    }
    await other.close();
  });

  it('M61 takes a changed file in again by content identity', async () => {
    const harness = start();
    const memories = [
      { content: note('one'), timestamp: 1_700_000_000 },
      { content: note('two'), timestamp: 1_700_000_001 },
    ];
    const path = write(harness, { memories });
    await take(harness, path);
    expect(await take(harness, path)).toMatchObject({ imported: 0, merged: 2 });
    write(harness, { memories: [...memories, { content: note('three'), timestamp: 1_700_000_002 }] });
    expect(await take(harness, path)).toMatchObject({ imported: 1, merged: 2 });
    const { memory } = await harness.runtime.forRead(harness.context, {});
    // Known items add neither events nor observations.
    expect(memory?.store.db.get("SELECT COUNT(*) AS n FROM event WHERE op <> 'import'")).toEqual({ n: 3 });
    expect(memory?.store.db.get('SELECT COUNT(*) AS n FROM provenance')).toEqual({ n: 3 });
  });

  it('M114 does not bring an erased text back', async () => {
    const harness = start();
    const path = write(harness, { memories: [{ content: note('secretive') }, { content: note('open') }] });
    await take(harness, path);
    const [gone] = await entries(harness);
    await forget(harness.runtime, harness.context, { ids: [gone?.id ?? ''], mode: 'erase' });
    const report = await take(harness, path);
    expect(report).toMatchObject({ imported: 0, merged: 1, rejectedCount: 1 });
    expect(report.rejected[0]?.reason).toMatch(/^forgotten/);
    const stored = memoryText(await harness.runtime.forRead(harness.context, {}));
    expect(stored).not.toContain('secretive');
  });

  it('M112 M111 redacts secrets and removes hidden characters on the way in, keys of errors included', async () => {
    const harness = start();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const report = await take(
      harness,
      write(harness, {
        memories: [{ content: `The deploy\u202e failed with ${token} in scripts/deploy.sh; rotate it.` }],
        errors: { [`bad token ${token}`]: { oops: 1 } },
      }),
    );
    expect(report.redactions.length).toBeGreaterThan(0);
    expect(report.removedCharacters).toBe(1);
    expect(JSON.stringify(report)).not.toContain(token);
    const text = memoryText(await harness.runtime.forRead(harness.context, {}));
    expect(text).not.toContain(token);
    expect(text).not.toContain('\u202e');
  });

  it('says what is wrong with a file that is neither', async () => {
    const harness = start();
    await expect(take(harness, write(harness, 'hello'))).rejects.toMatchObject({
      code: 'invalid_input',
      field: 'path',
    });
    await expect(take(harness, join(harness.project, 'nothing.json'))).rejects.toMatchObject({ code: 'not_found' });
    mkdirSync(join(harness.project, 'folder'));
    await expect(take(harness, join(harness.project, 'folder'))).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('says busy while another import holds the lease, and works again afterwards', async () => {
    const harness = start();
    const path = write(harness, { memories: [{ content: note('first') }] });
    await take(harness, path);
    const { memory } = await harness.runtime.forWrite(harness.context, {});
    const until = harness.clock.now() + 30_000;
    await memory.store.write((db) => db.run("INSERT INTO lease VALUES ('import', 'other', 1, 'h', ?)", [until]));
    await expect(take(harness, path)).rejects.toMatchObject({ code: 'busy' });
    harness.clock.advance(30_001);
    expect(await take(harness, path)).toMatchObject({ merged: 1 });
  });

  it('records what was taken in by the hash of the file', async () => {
    const harness = start();
    const path = write(harness, { memories: [{ content: note('hashed') }] });
    const { sha256 } = await take(harness, path);
    expect(sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    const { memory } = await harness.runtime.forRead(harness.context, {});
    expect(
      memory?.store.db.get('SELECT path FROM imported_file WHERE sha256 = ?', [Buffer.from(sha256, 'hex')]),
    ).toEqual({ path: 'old.json' });
  });
});

/** Every text that the store holds in a table of its own. */
function memoryText({ memory }: Awaited<ReturnType<MemoryHarness['runtime']['forRead']>>): string {
  const { db } = memory?.store ?? {};
  return JSON.stringify([
    db?.all('SELECT text, fields FROM revision'),
    db?.all('SELECT * FROM imported_file'),
    db?.all('SELECT payload FROM event'),
  ]);
}
