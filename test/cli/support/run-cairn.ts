import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Sandbox {
  /** A Git repository. */
  readonly project: string;
  readonly home: string;
  /** Runs the built program as a person would. */
  run(
    args: readonly string[],
    options?: {
      readonly input?: string;
      readonly cwd?: string;
      readonly env?: Record<string, string>;
      readonly uid?: number;
    },
  ): Promise<CommandOutcome>;
  /** The same with `--json`, parsed. */
  json<T>(args: readonly string[]): Promise<T>;
}

/** A repository and an empty home in a temporary folder that goes when the test ends. */
export function createSandbox(): Sandbox {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  mkdirSync(project);
  mkdirSync(home);
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: project });
  const program = builtProgram();
  const run: Sandbox['run'] = (args, { input = '', cwd = project, env = {}, uid } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
        ...(uid === undefined ? {} : { uid }),
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => {
        stdout += String(chunk);
      });
      child.stderr.on('data', (chunk) => {
        stderr += String(chunk);
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  return {
    project,
    home,
    run,
    async json<T>(args: readonly string[]) {
      const { stdout } = await run([...args, '--json']);
      return JSON.parse(stdout) as T;
    },
  };
}
