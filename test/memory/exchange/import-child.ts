import { systemClock } from '../../../src/kernel/index.ts';
import { importMemory } from '../../../src/memory/exchange/import.ts';
import { createHarness } from '../support/harness.ts';

/** Imports a file in a process of its own, and says when some of it is in, so that it can be killed. */
const [folder = '', path = ''] = process.argv.slice(2);
const harness = createHarness(folder, { clock: systemClock as never });
const { memory } = await harness.runtime.forWrite(harness.context, {});
setInterval(() => {
  const { n } = memory.store.db.get<{ n: number }>('SELECT COUNT(*) AS n FROM entry') ?? { n: 0 };
  if (n > 100) process.send?.(n);
}, 5);
await importMemory(harness.runtime, harness.context, { path });
