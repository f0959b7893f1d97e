import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CairnError } from '../kernel/index.ts';

const TOKEN_BYTES = 32;
const OTHERS_MAY_READ = 0o077;

function create(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
    // The process's umask may have taken bits away, never added any; this is for file systems that ignore the mode
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The bearer token in the file at `path`, made at the first start. Throws `permission_denied` when others can read the file. */
export function readOrCreateToken(path: string): string {
  create(path);
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_MAY_READ) !== 0) {
    throw new CairnError(
      'permission_denied',
      `Others can read the token in ${path}. Delete it, or run: chmod 600 ${path}`,
    );
  }
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < 32)
    throw new CairnError('invalid_input', `${path} holds no token. Delete it; the next start makes a new one.`);
  return token;
}

/** Whether an `Authorization` header carries the token; takes the same time whichever byte differs. */
export function isAuthorized(header: string | undefined, token: string): boolean {
  const given = Buffer.from(/^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '', 'utf8');
  const wanted = Buffer.from(token, 'utf8');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
