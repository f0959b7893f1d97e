import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm')).href;

/** Arguments of Node.js that run a TypeScript file of the tests. */
export function typescript(path: string, ...argv: string[]): string[] {
  return ['--import', TSX, join(ROOT, path), ...argv];
}

export const FIXTURE_SERVER = 'test/mcp/support/fixture-server.ts';

/** A folder that is removed when the test file is done. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'cairn-mcp-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What a child's environment has: nothing of ours but PATH, and a home of its own. */
export function cleanEnvironment(home: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...more };
}

export interface Exchange {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** A child whose output is collected. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves once the text has appeared on standard error or output; rejects when the child ends before that. */
  seen(text: string): Promise<void>;
  readonly ended: Promise<Exchange>;
}

export function start(argv: readonly string[], options: { env: Record<string, string>; cwd?: string }): Running {
  const child = spawn(process.execPath, argv, { env: options.env, cwd: options.cwd ?? ROOT });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
    tell();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
    tell();
  });
  // A child that has ended already does not read what is written to it
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Exchange>((resolve) => {
    child.on('close', (code) => {
      resolve({ stdout, stderr, code });
      tell();
    });
  });
  function seen(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (stdout.includes(text) || stderr.includes(text)) resolve();
        else if (child.exitCode !== null) reject(new Error(`ended without "${text}"; stderr: ${stderr}`));
        else return;
        listeners.delete(look);
      };
      listeners.add(look);
      look();
    });
  }
  return { child, stdout: () => stdout, stderr: () => stderr, seen, ended };
}

/** Sends lines, closes the input, and gives everything that came back. */
export function converse(
  argv: readonly string[],
  lines: readonly string[],
  env: Record<string, string>,
): Promise<Exchange> {
  const running = start(argv, { env });
  running.child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  return running.ended;
}

let nextId = 100;

/** A request of the 2025 era, as a line. */
export function request(method: string, params: object = {}, id: number = nextId++): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export const INITIALIZE = [
  request(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lines', version: '1' } },
    1,
  ),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
];

/** Params of the 2026-07-28 era: the same with the keys that every request carries. */
export function modern(params: object = {}, version = '2026-07-28'): object {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'lines', version: '1' },
    },
  };
}

/** Every line of `text` as JSON; throws on anything else, which is what "nothing but JSON-RPC" means. */
export function protocolLines(text: string): Record<string, unknown>[] {
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new Error(`the output ends in the middle of a line: ${text.slice(-80)}`);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const message = JSON.parse(line) as Record<string, unknown>;
      if (message['jsonrpc'] !== '2.0') throw new Error(`not JSON-RPC: ${line}`);
      return message;
    });
}
