import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Scope } from '../runtime.ts';
import { type Check, fault, ok, plural, warn } from './check.ts';

/** Where the memory is and why there: project, shadowed folders, settings, permissions, file system. */
export function checkPlace(scope: Scope): Check[] {
  return [...checkProject(scope), ...checkPermissions(scope.report.store_path), ...checkWarnings(scope)];
}

function checkProject({ report }: Scope): Check[] {
  const { root, derived_from: from, store_path: store, shadowed = [], candidates = [] } = report;
  const place =
    root === undefined ? `the ${from} store is ${store}` : `the project is ${root} (by ${from}), its store ${store}`;
  const checks: Check[] = [
    report.ambiguous === true
      ? warn(
          'project',
          `The session has several projects (${candidates.join(', ')}); ${place}.`,
          'Name the project in the call, or start in its folder.',
        )
      : ok('project', `${place[0]?.toUpperCase()}${place.slice(1)}.`),
  ];
  for (const folder of shadowed) {
    checks.push(
      warn(
        'shadowed',
        `${folder.path} is not used: ${folder.reason}.`,
        `cairn memory import ${folder.path}/intelligence.json`,
      ),
    );
  }
  return checks;
}

/** Only the owner may read what an agent learned. Windows has no such modes. */
function checkPermissions(storePath: string): Check[] {
  if (process.platform === 'win32') return [];
  const files = [dirname(storePath), storePath, `${storePath}-wal`, `${storePath}-shm`];
  const open = files.filter((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && (stat.mode & 0o077) !== 0;
  });
  if (open.length === 0) return [ok('permissions', 'Only you can read the store.')];
  return [
    warn(
      'permissions',
      `Others can read ${open.join(', ')}.`,
      `chmod go-rwx ${open.map((path) => `'${path}'`).join(' ')}`,
    ),
  ];
}

/** Unknown settings and variables, a file system without a log, an unwritable place: found when the scope was opened. */
function checkWarnings({ warnings, memory, report }: Scope): Check[] {
  const checks = warnings.map((text) => warn('settings', text));
  if (memory?.store.readOnly === true) {
    checks.push(
      fault(
        'writable',
        `${report.store_path} cannot be written to.`,
        'Check the owner and mode of the file and of its folder.',
      ),
    );
  }
  if (report.recovered !== undefined) {
    const { salvaged, from_backup: fromBackup, quarantined_path: quarantined } = report.recovered;
    checks.push(
      warn(
        'recovered',
        `The store was damaged and rebuilt: ${plural(salvaged, 'entry', 'entries')} from the file, ${fromBackup} from a backup. The damaged file is ${quarantined}.`,
        'cairn doctor --acknowledge',
      ),
    );
  }
  return checks;
}
