/** Checks the rules of the house that no ready-made tool knows. Exits with 1 when one is broken. */
import { fileURLToPath } from 'node:url';
import { longFiles } from './checks/long-files.ts';
import { pinnedPackages } from './checks/pinned-packages.ts';
import { rooms } from './checks/rooms.ts';
import { sourceRules } from './checks/source-rules.ts';
import { listRepositoryFiles } from './support/repository-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = listRepositoryFiles(root);

for (const check of [longFiles, rooms, sourceRules, pinnedPackages]) {
  const { problems, notes } = check.run(root, files);
  console.log(`${check.name}: ${problems.length === 0 ? 'ok' : `${problems.length} problems`} (${notes.join('; ')})`);
  for (const problem of problems) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
