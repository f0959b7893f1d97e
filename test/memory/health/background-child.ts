import { join } from 'node:path';
import { startBackground } from '../../../src/memory/health/background.ts';
import { remember } from '../../../src/memory/remember/remember.ts';
import { createHarness } from '../support/harness.ts';

/** Remembers one thing with a background that would wait for an hour, and does not stop it: the process ends all the same. */
const [folder = ''] = process.argv.slice(2);
const harness = createHarness(join(folder, 'child'));
startBackground(harness.runtime, { times: { afterUseMs: 3_600_000, houseMs: 3_600_000 } });
await remember(harness.runtime, harness.context, {
  door: 'hooks',
  content: 'The module src/x.ts needs option --level=3 since 1.2.',
});
