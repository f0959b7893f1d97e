import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportMemory } from '../../../src/memory/exchange/export.ts';
import { importMemory } from '../../../src/memory/exchange/import.ts';
import { forget } from '../../../src/memory/lifecycle/forget.ts';
import { recordOutcome } from '../../../src/memory/lifecycle/outcome.ts';
import { updateEntry } from '../../../src/memory/lifecycle/update.ts';
import type { Entry } from '../../../src/memory/model.ts';
import { recall } from '../../../src/memory/recall/recall.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { readProvenance, selectEntries } from '../../../src/memory/store/entries.ts';
import type { Database } from '../../../src/storage/index.ts';
import type { MemoryHarness } from '../support/harness.ts';
import { useHarness } from './folder.ts';

const start = useHarness();

async function dbOf(harness: MemoryHarness): Promise<Database> {
  const { memory } = await harness.runtime.forRead(harness.context, {});
  if (memory === undefined) throw new Error('no store');
  return memory.store.db;
}

async function say(harness: MemoryHarness, content: string, more: object = {}): Promise<string> {
  harness.clock.advance(1000);
  const { id, status, message } = await remember(harness.runtime, harness.context, {
    door: 'hooks',
    content,
    force: true,
    ...more,
  });
  if (id === undefined) throw new Error(`${status}: ${message}`);
  return id;
}

/** A store with everything that an export has to carry. */
async function fill(harness: MemoryHarness): Promise<Record<string, string>> {
  const old = await say(harness, 'The cache in src/cache.ts is keyed by path only; add the branch to the key.');
  const newer = await say(harness, 'The cache in src/cache.ts is keyed by path and branch since 2.0; clear it once.', {
    supersedes: [old],
  });
  const fix = await say(
    harness,
    'ERROR-FIX: TS2345 Argument of type string | FIX: convert the port with Number(port) | SOURCE: docs/solutions/p.md — port was text',
  );
  await say(
    harness,
    'ERROR-FIX: TS2345 Argument of type string | FIX: parse the port with parsePort first | SOURCE: docs/solutions/p.md — port was text',
  );
  const merged = await say(harness, 'Run npm run build before the end-to-end tests in test/e2e, they use dist/.');
  await say(harness, 'RUN npm run build before the end-to-end tests in test/e2e, they use dist/.');
  const closed = await say(harness, 'The flag --legacy in bin/run.sh is needed on node 18 for the tests to start.');
  const retracted = await say(harness, 'The staging database password is rotated by ops/rotate.sh every month.');
  const erased = await say(harness, 'The marker word xylophonic must not survive anywhere in exports of this store.');
  const { runtime, context } = harness;
  harness.clock.advance(1000);
  await recordOutcome(runtime, context, { id: fix, verdict: 'worked', note: 'helped twice' });
  await recordOutcome(runtime, { ...context, session: 's2' }, { id: merged, verdict: 'failed' });
  await recordOutcome(runtime, { ...context, session: 's3' }, { id: merged, verdict: 'failed' });
  await recordOutcome(runtime, context, { id: closed, verdict: 'obsolete' });
  await updateEntry(runtime, context, { id: newer, pinned: true, type: 'decision' });
  await forget(runtime, context, { ids: [retracted], mode: 'retract' });
  await forget(runtime, context, { ids: [erased], mode: 'erase' });
  return { old, newer, fix, merged, closed, retracted, erased };
}

/** What M45 calls the same: entries, times, history and outcomes; trust is `import` on the other side. */
function snapshot(db: Database): unknown[] {
  const entries = selectEntries(db, "WHERE e.state <> 'erased' ORDER BY i.id", []);
  return entries.map((entry) => {
    const { key, trust: _, ...rest } = entry as Entry;
    return {
      ...rest,
      provenance: readProvenance(db, key),
      revisions: db.all('SELECT n, text, fields, at FROM revision WHERE entry_key = ? ORDER BY n', [key]),
      outcomes: db.all('SELECT at, session, verdict, note FROM outcome WHERE entry_key = ? ORDER BY key', [key]),
      events: db.all('SELECT at, op, actor FROM event WHERE entry_key = ? ORDER BY seq', [key]),
    };
  });
}

/** What recall finds, in which order and with which scores. */
async function ranking(harness: MemoryHarness, text: string): Promise<unknown[]> {
  const { results } = await recall(harness.runtime, harness.context, { door: 'hooks', text });
  return results.map(({ id, score, match, content }) => ({ id, score, match, content }));
}

const exportTo = (harness: MemoryHarness, format: 'jsonl' | 'markdown' | 'ruvector', name: string) =>
  exportMemory(harness.runtime, harness.context, { format, path: join(harness.home, name) });
const importFrom = (harness: MemoryHarness, path: string) => importMemory(harness.runtime, harness.context, { path });

describe('export and import of JSONL', () => {
  it('M45 gives the same ids, times, history, outcomes and ranking in an empty project', async () => {
    const source = start();
    await fill(source);
    const file = await exportTo(source, 'jsonl', 'all.jsonl');
    const target = start({ clock: source.clock });
    const report = await importFrom(target, file.path);
    expect(report).toMatchObject({ format: 'cairn-jsonl', merged: 0, rejectedCount: 0 });
    const [from, to] = [await dbOf(source), await dbOf(target)];
    expect(snapshot(to)).toEqual(snapshot(from));
    expect(report.imported).toBe(snapshot(from).length);
    for (const text of [
      'cache keyed by path and branch',
      'TS2345 Argument of type string',
      'run the end-to-end tests',
      'parse the port with parsePort',
    ]) {
      const [there, here] = [await ranking(source, text), await ranking(target, text)];
      expect(there.length, text).toBeGreaterThan(0);
      expect(here, text).toEqual(there);
    }
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it('M45 may be repeated: the second import changes nothing', async () => {
    const source = start();
    await fill(source);
    const file = await exportTo(source, 'jsonl', 'all.jsonl');
    const target = start({ clock: source.clock });
    await importFrom(target, file.path);
    const before = snapshot(await dbOf(target));
    const again = await importFrom(target, file.path);
    expect(again).toMatchObject({ imported: 0, rejectedCount: 0 });
    expect(snapshot(await dbOf(target))).toEqual(before);
    // And the store that it came from takes it without a change as well.
    const own = snapshot(await dbOf(source));
    expect(await importFrom(source, file.path)).toMatchObject({ imported: 0 });
    expect(snapshot(await dbOf(source))).toEqual(own);
  });

  it('M45 goes on where it was cut off, and takes what was added since', async () => {
    const source = start();
    await fill(source);
    const file = await exportTo(source, 'jsonl', 'all.jsonl');
    const lines = readFileSync(file.path, 'utf8').trimEnd().split('\n');
    const target = start({ clock: source.clock });
    for (const count of [3, 5, lines.length]) {
      const part = join(target.home, `part${count}.jsonl`);
      writeFileSync(part, lines.slice(0, count).join('\n'));
      await importFrom(target, part);
    }
    expect(snapshot(await dbOf(target))).toEqual(snapshot(await dbOf(source)));
    await say(source, 'A later note about src/later.ts that the second export has and the first had not.');
    const later = await exportTo(source, 'jsonl', 'later.jsonl');
    expect(await importFrom(target, later.path)).toMatchObject({ imported: 1 });
    expect(snapshot(await dbOf(target))).toEqual(snapshot(await dbOf(source)));
  });

  it('M45 does not bring forgotten texts back', async () => {
    const source = start();
    const id = await say(source, 'The marker word xylophonic stands in src/x.ts until the release is done.');
    const file = await exportTo(source, 'jsonl', 'before.jsonl');
    await forget(source.runtime, source.context, { ids: [id], mode: 'erase' });
    const report = await importFrom(source, file.path);
    expect(report).toMatchObject({ imported: 0, rejectedCount: 1 });
    expect(report.rejected[0]?.reason).toMatch(/^forgotten/);
    const after = await exportTo(source, 'jsonl', 'after.jsonl');
    expect(readFileSync(after.path, 'utf8')).not.toContain('xylophonic');
    // A store that knows only the tombstone refuses the older export too.
    const target = start({ clock: source.clock });
    await importFrom(target, after.path);
    expect(await importFrom(target, file.path)).toMatchObject({ imported: 0, rejectedCount: 1 });
  });

  it('merges an entry whose text is here under another id', async () => {
    const source = start();
    const text = 'Run npm run build before the end-to-end tests in test/e2e, they use dist/.';
    const id = await say(source, text);
    await recordOutcome(source.runtime, source.context, { id, verdict: 'worked' });
    const file = await exportTo(source, 'jsonl', 'one.jsonl');
    const target = start({ clock: source.clock });
    const own = await say(target, text);
    for (let i = 0; i < 2; i++)
      expect(await importFrom(target, file.path)).toMatchObject({ imported: 0, merged: 1, rejectedCount: 0 });
    const db = await dbOf(target);
    const [entry, ...others] = selectEntries(db, '', []);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ id: own, worked: 1, trust: 'agent' });
    expect(readProvenance(db, entry?.key ?? 0)).toHaveLength(2);
  });

  it('reports lines that cannot be used, and takes the others', async () => {
    const source = start();
    await say(source, 'The flag --legacy in bin/run.sh is needed on node 18 for the tests to start.');
    const file = await exportTo(source, 'jsonl', 'one.jsonl');
    const [header = '', line = ''] = readFileSync(file.path, 'utf8').split('\n');
    const bad = [
      'not json',
      '[]',
      '{"at":1,"op":"explode","entry":"mem_1","payload":{}}',
      '{"at":1,"op":"create","entry":"mem_1","payload":{}}',
      '{"at":1,"op":"outcome","entry":"mem_none","payload":{}}',
      '{"tombstone":5}',
      line.slice(0, 60),
    ];
    const path = join(source.home, 'bad.jsonl');
    writeFileSync(path, [header, ...bad.slice(0, 3), line, ...bad.slice(3)].join('\n'));
    const target = start({ clock: source.clock });
    const report = await importFrom(target, path);
    expect(report).toMatchObject({ imported: 1, rejectedCount: bad.length });
    expect(report.rejected.map(({ at }) => at)).toEqual([
      'line 2',
      'line 3',
      'line 4',
      'line 6',
      'line 8',
      'line 9',
      'line 7',
    ]);
  });

  it('refuses an export of a newer format', async () => {
    const harness = start();
    const path = join(harness.home, 'new.jsonl');
    writeFileSync(path, '{"cairn":"memory-export","version":2}\n');
    await expect(importFrom(harness, path)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('M111 M112 cleans and redacts old rows on the way out and foreign ones on the way in, and keeps their parts', async () => {
    const source = start();
    const id = await say(
      source,
      'ERROR-FIX: TS2345 Argument of type string | FIX: convert the port with Number(port) first',
    );
    const token = `ghp_${'a1B2'.repeat(9)}`;
    // A row from before a rule existed.
    const { memory } = await source.runtime.forWrite(source.context, {});
    await memory.store.write((db) => {
      const row = db.get<{ key: number; text: string; fields: string }>('SELECT key, text, fields FROM revision');
      const fields = JSON.parse(row?.fields ?? '{}') as { fix: [number, number] };
      const extra = `\u202e use ${token}`;
      const text = `${row?.text.slice(0, fields.fix[1])}${extra}`;
      db.run('UPDATE revision SET text = ?, fields = ? WHERE key = ?', [
        text,
        JSON.stringify({ ...fields, fix: [fields.fix[0], text.length], tags: [token] }),
        row?.key ?? 0,
      ]);
      db.run('UPDATE provenance SET file = ?', [`src/${token}.ts`]);
    });
    for (const [format, name] of [
      ['jsonl', 'x.jsonl'],
      ['ruvector', 'x.json'],
      ['markdown', 'md'],
    ] as const) {
      const answer = await exportTo(source, format, name);
      const text =
        format === 'markdown'
          ? readdirSync(answer.path)
              .map((file) => readFileSync(join(answer.path, file), 'utf8'))
              .join()
          : readFileSync(answer.path, 'utf8');
      expect(text, format).not.toContain(token);
      expect(text, format).not.toMatch(/\u202e|\\u202e/);
      expect(text, format).toContain('[redacted:');
      expect(answer.redactions.length, format).toBeGreaterThan(0);
      expect(answer.warnings.join(), format).toContain('1 control or invisible character');
    }
    // The same rows in a file of somebody else.
    const clean = readFileSync(join(source.home, 'x.jsonl'), 'utf8').trimEnd().split('\n');
    const foreign = clean.map((line) => {
      const value = JSON.parse(line.replaceAll(/\[redacted:[a-z0-9_-]+\]/g, token)) as {
        revision?: { text: string; fields: { fix: [number, number] } };
      };
      if (value.revision !== undefined) value.revision.fields.fix[1] = value.revision.text.length;
      return JSON.stringify(value);
    });
    const dirty = foreign.join('\n');
    expect(dirty).toContain(token);
    const path = join(source.home, 'dirty.jsonl');
    writeFileSync(path, dirty);
    const target = start({ clock: source.clock });
    const report = await importFrom(target, path);
    expect(report.redactions.length).toBeGreaterThan(0);
    const db = await dbOf(target);
    const everything = JSON.stringify(
      ['revision', 'provenance', 'event', 'entry_tag'].map((table) => db.all(`SELECT * FROM ${table}`)),
    );
    expect(everything).not.toContain(token);
    const [entry] = selectEntries(db, '', []);
    expect(entry).toMatchObject({ id, kind: 'error_fix' });
    const { signature, fix } = entry?.fields ?? {};
    expect(entry?.text.slice(...(signature ?? [0, 0]))).toBe('TS2345 Argument of type string');
    expect(entry?.text.slice(...(fix ?? [0, 0]))).toMatch(
      /^convert the port with Number\(port\) first use \[redacted:/,
    );
  });
});

describe('exports for readers', () => {
  it('writes one private Markdown file for each entry that has a text', async () => {
    const source = start();
    const ids = await fill(source);
    const answer = await exportTo(source, 'markdown', 'md');
    const files = readdirSync(answer.path);
    expect(files).toHaveLength(answer.records);
    for (const file of files) expect(statSync(join(answer.path, file)).mode & 0o777).toBe(0o600);
    const texts = files.map((file) => readFileSync(join(answer.path, file), 'utf8'));
    const fix = texts.find((text) => text.includes(ids['fix'] ?? '-'));
    expect(fix).toContain('## Error\n\nTS2345 Argument of type string');
    expect(fix).toContain('worked: 1');
    expect(texts.join()).not.toContain('xylophonic');
    expect(texts.join()).not.toContain('ops/rotate.sh');
  });

  it('writes a text-only file that the old engine and this import can read', async () => {
    const source = start();
    await fill(source);
    const answer = await exportTo(source, 'ruvector', 'intelligence.json');
    const file = JSON.parse(readFileSync(answer.path, 'utf8')) as {
      memories: { content: string; created: string; embedding?: unknown }[];
    };
    expect(file.memories).toHaveLength(answer.entries);
    expect(file.memories.every((item) => item.embedding === undefined && !Number.isNaN(Date.parse(item.created)))).toBe(
      true,
    );
    const target = start({ clock: source.clock });
    expect(await importFrom(target, answer.path)).toMatchObject({
      format: 'intelligence-json',
      imported: answer.entries,
      rejectedCount: 0,
    });
  });

  it('says not_found where nothing was stored, and makes no file', async () => {
    const harness = start();
    await expect(exportTo(harness, 'jsonl', 'none.jsonl')).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(harness.project)).toEqual([]);
  });
});
