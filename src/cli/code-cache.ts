import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Hash of the data in front of it: V8 does not check its cache for damage in release builds. */
const DIGEST_BYTES = 32;
/** Caches of other versions are removed when they have not been written for so long, in milliseconds. */
const STALE_MS = 30 * 24 * 3600 * 1000;
const OTHERS_MAY_WRITE = 0o022;

function digest(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Its folder cannot be read or is none; then there is nothing of ours in it
  }
}

/** Makes the cache folder and the two above it, no more: a home that is not there is not made. */
function makeFolder(folder: string): void {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  }
}

/** Compiled code that is kept between runs. Any trouble with it costs time and nothing else. */
export interface CodeCache {
  read(): Buffer | undefined;
  /** Replaces the file atomically. */
  write(data: Uint8Array): void;
}

/**
 * The cache of one bundle in `folder`. `profile` keeps commands apart: what one of them has compiled is of little use
 * to another. The name holds the version of V8 and a hash of the source.
 */
export function openCodeCache(folder: string, source: Uint8Array, profile: string): CodeCache {
  const identity = digest(source).toString('hex').slice(0, 16);
  const path = join(folder, `${profile}-${process.versions.v8}-${process.arch}-${identity}.bin`);

  function readOwn(): Buffer {
    const file = openSync(path, 'r');
    try {
      const { uid, mode } = fstatSync(file);
      const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_MAY_WRITE) === 0);
      if (!isOwn) throw new Error('the file could have been written by somebody else');
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  }

  function removeStale(): void {
    for (const name of readdirSync(folder)) {
      const other = join(folder, name);
      if (Date.now() - statSync(other).mtimeMs > STALE_MS) rmSync(other, { force: true });
    }
  }

  return {
    read() {
      try {
        const bytes = readOwn();
        const data = bytes.subarray(DIGEST_BYTES);
        return digest(data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
      } catch {
        // Missing, unreadable or foreign: the source is compiled as if there were no cache
        return undefined;
      }
    },
    write(data) {
      const temporary = `${path}.${process.pid}`;
      try {
        makeFolder(folder);
        writeFileSync(temporary, Buffer.concat([digest(data), data]), { mode: 0o600 });
        renameSync(temporary, path);
        removeStale();
      } catch {
        // A read-only or full home: the next start compiles again
        removeQuietly(temporary);
      }
    },
  };
}
