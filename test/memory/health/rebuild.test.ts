import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeEmbedder } from '../../../src/embedding/index.ts';
import { exportMemory } from '../../../src/memory/exchange/export.ts';
import { importMemory } from '../../../src/memory/exchange/import.ts';
import { rebuildTables } from '../../../src/memory/health/rebuild.ts';
import { forget } from '../../../src/memory/lifecycle/forget.ts';
import { recordOutcome } from '../../../src/memory/lifecycle/outcome.ts';
import { restoreEntries } from '../../../src/memory/lifecycle/restore.ts';
import { updateEntry } from '../../../src/memory/lifecycle/update.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import type { Database } from '../../../src/storage/index.ts';
import { createHarness, type MemoryHarness } from '../support/harness.ts';

/** Everything that follows from the log; keys of passages are the file's own affair, so they are left out. */
function derived(db: Database): unknown {
  const terms = db.all<{ term: string }>('SELECT term FROM entry_fts_vocab ORDER BY term').map(({ term }) => term);
  const hits = (table: string, query: string) =>
    db
      .all<{ rowid: number }>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`, [query])
      .map(({ rowid }) => rowid);
  return {
    entry: db.all('SELECT * FROM entry ORDER BY key'),
    tags: db.all('SELECT * FROM entry_tag ORDER BY tag, entry_key'),
    files: db.all('SELECT * FROM entry_file ORDER BY path, entry_key'),
    signatures: db.all('SELECT * FROM signature ORDER BY key, entry_key'),
    passages: db.all('SELECT entry_key, n, start, "end", terms, bag FROM passage ORDER BY entry_key, n'),
    vectors: db.all(
      'SELECT p.entry_key, p.n, v.space_key, v.data, v.text_hash, v.unknown FROM vector v JOIN passage p ON p.key = v.passage_key ORDER BY 1, 2, 3',
    ),
    // Terms whose only rows were deleted stay in the index until it is merged; they have no hits.
    words: terms.map((term) => [term, hits('entry_fts', `"${term}"`)]).filter(([, rows]) => rows?.length !== 0),
    identifiers: ['par', 'mod', 'opt', 'num', 'lev'].map((word) => hits('identifier_tri', `"${word}"`)),
  };
}

type Step =
  | { readonly do: 'say' | 'fix' | 'long'; readonly n: number; readonly supersedes?: number }
  | {
      readonly do: 'outcome';
      readonly on: number;
      readonly verdict: 'worked' | 'failed' | 'obsolete' | 'reopen';
      readonly session: number;
    }
  | { readonly do: 'retract' | 'erase' | 'restore'; readonly on: number }
  | { readonly do: 'update'; readonly on: number; readonly pinned: boolean };

const index = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('say', 'fix', 'long'), n: fc.nat({ max: 5 }) }),
  fc.record({ do: fc.constant('say' as const), n: fc.nat({ max: 9 }), supersedes: index }),
  fc.record({
    do: fc.constant('outcome' as const),
    on: index,
    verdict: fc.constantFrom('worked', 'failed', 'obsolete', 'reopen'),
    session: fc.nat({ max: 2 }),
  }),
  fc.record({ do: fc.constantFrom('retract', 'erase', 'restore'), on: index }),
  fc.record({ do: fc.constant('update' as const), on: index, pinned: fc.boolean() }),
) as fc.Arbitrary<Step>;

const texts = {
  say: (n: number) => `Note ${n}: the module src/part${n}.ts needs option --level=${n} since release 1.${n}.`,
  fix: (n: number) =>
    `ERROR-FIX: TS23${n}5 Argument of type number ${n} | FIX: convert part${n % 2} with Number() | SOURCE: docs/solutions/p${n % 3}.md — typed`,
  long: (n: number) =>
    Array.from({ length: 60 }, (_, i) => `sentence ${i} of module${n} names option${i % 5}`).join('. '),
};

/** Does one step; refusals are part of a history as well. */
async function run(harness: MemoryHarness, ids: string[], one: Step): Promise<void> {
  const { runtime, context } = harness;
  harness.clock.advance(1000);
  const idAt = (n: number): string => ids[n % Math.max(1, ids.length)] ?? 'mem_none';
  try {
    switch (one.do) {
      case 'say':
      case 'fix':
      case 'long': {
        const supersedes = one.supersedes === undefined || ids.length === 0 ? undefined : [idAt(one.supersedes)];
        const content = texts[one.do](one.n);
        const { id } = await remember(runtime, context, {
          door: 'hooks',
          content,
          force: true,
          tags: [`tag${one.n}`],
          supersedes,
        });
        if (id !== undefined && !ids.includes(id)) ids.push(id);
        return;
      }
      case 'outcome':
        await recordOutcome(
          runtime,
          { ...context, session: `s${one.session}` },
          { id: idAt(one.on), verdict: one.verdict },
        );
        return;
      case 'update':
        await updateEntry(runtime, context, {
          id: idAt(one.on),
          pinned: one.pinned,
          type: one.pinned ? 'decision' : 'code',
        });
        return;
      case 'restore':
        await restoreEntries(runtime, context, { ids: [idAt(one.on)] });
        return;
      default:
        await forget(runtime, context, { ids: [idAt(one.on)], mode: one.do });
    }
  } catch (error) {
    if ((error as { name?: unknown }).name !== 'CairnError') throw error;
  }
}

async function withHistory(steps: readonly Step[], body: (harness: MemoryHarness) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-rebuild-'));
  const harness = createHarness(folder, { embedder: createFakeEmbedder() });
  try {
    const ids: string[] = [];
    for (const one of steps) await run(harness, ids, one);
    await body(harness);
  } finally {
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function dbAndStore(harness: MemoryHarness) {
  const { memory } = await harness.runtime.forWrite(harness.context, {});
  return memory.store;
}

describe('rebuilding the derived tables', () => {
  it('gives equal tables for any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) =>
        withHistory(steps, async (harness) => {
          const store = await dbAndStore(harness);
          const before = derived(store.db);
          const applied = await store.write((db) =>
            rebuildTables(db, (text) => harness.runtime.deps.embedder.countTokens(text)),
          );
          expect(derived(store.db)).toEqual(before);
          expect(applied).toBe(store.db.get<{ n: number }>('SELECT COUNT(*) AS n FROM event')?.n);
        }),
      ),
      { numRuns: 25 },
    );
  }, 120_000);

  it('brings back what was lost or spoilt, and finds what it found before', async () => {
    await withHistory(
      [0, 1, 2, 3].flatMap((n): Step[] => [
        { do: 'say', n },
        { do: 'fix', n },
      ]),
      async (harness) => {
        const store = await dbAndStore(harness);
        const before = derived(store.db);
        await store.write((db) => {
          db.run('DELETE FROM entry_tag');
          db.run("UPDATE entry SET type = 'code', state = 'closed'");
          db.run('DELETE FROM signature');
          db.run('DELETE FROM entry_fts WHERE rowid < 4');
        });
        expect(derived(store.db)).not.toEqual(before);
        await store.write((db) => rebuildTables(db, (text) => harness.runtime.deps.embedder.countTokens(text)));
        expect(derived(store.db)).toEqual(before);
      },
    );
  });

  it('M45 an export replayed elsewhere gives the same history for any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) =>
        withHistory([{ do: 'say', n: 9 }, ...steps], async (harness) => {
          const folder = mkdtempSync(join(tmpdir(), 'cairn-replay-'));
          const target = createHarness(folder, { clock: harness.clock });
          try {
            const { path } = await exportMemory(harness.runtime, harness.context, {
              format: 'jsonl',
              path: join(folder, 'x.jsonl'),
            });
            const report = await importMemory(target.runtime, target.context, { path });
            expect(report.rejected).toEqual([]);
            expect(history((await dbAndStore(target)).db)).toEqual(history((await dbAndStore(harness)).db));
          } finally {
            await target.close();
            rmSync(folder, { recursive: true, force: true });
          }
        }),
      ),
      { numRuns: 15 },
    );
  }, 120_000);
});

function history(db: Database): unknown {
  return db.all(
    `SELECT i.id, e.kind, e.type, e.state, e.pinned, e.suspect, e.worked, e.failed, e.valid_from, e.valid_to, e.created_at, e.updated_at,
       e.source_key, s.id AS newer, r.text, r.n FROM entry e JOIN entry_identity i ON i.key = e.key JOIN revision r ON r.key = e.revision_key
     LEFT JOIN entry_identity s ON s.key = e.superseded_by WHERE e.state <> 'erased' ORDER BY i.id`,
  );
}
