import type { Store } from '../../storage/index.ts';
import { exportedEntries } from './entry-pages.ts';
import type { ExportTally } from './export-jsonl.ts';

/**
 * The store in the shape of the old engine's `intelligence.json`: text alone, no vectors. What is not recalled by
 * default (closed, superseded, quarantined) is left out, since the old engine would recall it.
 */
export function* ruvectorPieces(store: Store, at: number, tally: ExportTally): Generator<string> {
  yield `{\n  "version": "2.0",\n  "exported_at": ${JSON.stringify(new Date(at).toISOString())},\n  "patterns": {},\n  "memories": [`;
  let separator = '\n';
  for (const entry of exportedEntries(store, tally)) {
    if (entry.state !== 'active') {
      tally.entries -= 1;
      continue;
    }
    const item = {
      id: entry.id,
      type: entry.type,
      memory_type: entry.type,
      content: entry.display,
      created: new Date(entry.createdAt).toISOString(),
      timestamp: Math.floor(entry.createdAt / 1000),
      metadata: {},
    };
    tally.lines += 1;
    yield `${separator}    ${JSON.stringify(item)}`;
    separator = ',\n';
  }
  yield '\n  ],\n  "trajectories": [],\n  "errors": {}\n}\n';
}
