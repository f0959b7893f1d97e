/** Holds a file lock until it is killed: `lock-holder <path>`. */
import { systemClock } from '../../../src/kernel/index.ts';
import { withFileLock } from '../../../src/storage/file-lock.ts';

const [path = ''] = process.argv.slice(2);
await withFileLock(path, { clock: systemClock, waitMs: 5_000 }, async () => {
  process.stdout.write('held\n');
  await systemClock.sleep(60_000);
});
