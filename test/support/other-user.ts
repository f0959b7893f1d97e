import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The unprivileged user of every Linux. */
export const NOBODY = 65_534;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Why the program cannot be run as somebody else here; `undefined` where it can. Only root can become another user, and
 * that user has to be able to read the checkout: one below a private folder is closed to him.
 */
export function whyNotAsNobody(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run the program as another user';
  const script = `require('node:fs').readFileSync(${JSON.stringify(`${ROOT}package.json`)})`;
  const { status } = spawnSync(process.execPath, ['-e', script], { uid: NOBODY, stdio: 'ignore' });
  return status === 0 ? undefined : 'the checkout lies in a folder that another user may not enter';
}
