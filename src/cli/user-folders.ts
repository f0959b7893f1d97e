import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Variables = Readonly<Record<string, string | undefined>>;

function fromVariable(value: string | undefined): string | undefined {
  // The XDG rule: relative values are invalid and ignored
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** Where things that can be made again are kept for this user; absolute. Nothing is created. */
export function userCacheFolder(variables: Variables, platform: NodeJS.Platform = process.platform): string {
  const stated = fromVariable(variables['XDG_CACHE_HOME']);
  if (stated !== undefined) return join(stated, 'cairn');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'cairn');
  const local = fromVariable(variables['LOCALAPPDATA']);
  if (platform === 'win32' && local !== undefined) return join(local, 'cairn', 'Cache');
  return join(homedir(), '.cache', 'cairn');
}

/** Where backups, tokens and what belongs to no project are kept for this user; absolute. Nothing is created. */
export function userDataFolder(variables: Variables, platform: NodeJS.Platform = process.platform): string {
  const stated = fromVariable(variables['XDG_DATA_HOME']);
  if (stated !== undefined) return join(stated, 'cairn');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'cairn');
  const local = fromVariable(variables['LOCALAPPDATA']);
  if (platform === 'win32' && local !== undefined) return join(local, 'cairn', 'Data');
  return join(homedir(), '.local', 'share', 'cairn');
}
