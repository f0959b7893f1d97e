/**
 * Runs every `check:*` script of package.json, two at a time, and prints what each said: one line for those that pass,
 * the whole output for those that fail. Names after `check` choose some: `npm run check -- lint types`.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const AT_ONCE = 2;

interface Outcome {
  readonly name: string;
  readonly failed: boolean;
  readonly seconds: number;
  readonly output: string;
}

function runScript(name: string): Promise<Outcome> {
  const start = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = (performance.now() - start) / 1000;
      resolve({ name, failed: code !== 0, seconds, output: Buffer.concat(chunks).toString('utf8').trim() });
    });
  });
}

function report({ name, failed, seconds, output }: Outcome): void {
  console.log(`${failed ? 'FAILED' : 'ok'}  ${name} (${seconds.toFixed(1)} s)`);
  if (failed) console.log(output.replaceAll(/^/gm, '    '));
}

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
const chosen = process.argv.slice(2).map((name) => `check:${name}`);
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No script ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  process.exit(2);
}

const queue = chosen.length > 0 ? chosen : names;
const outcomes: Outcome[] = [];
async function work(): Promise<void> {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const outcome = await runScript(name);
    report(outcome);
    outcomes.push(outcome);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));

const failures = outcomes.filter(({ failed }) => failed);
console.log(`${outcomes.length - failures.length} checks passed, ${failures.length} checks failed`);
if (failures.length > 0) process.exitCode = 1;
