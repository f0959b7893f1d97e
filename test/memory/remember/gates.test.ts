import { expect, it, onTestFinished } from 'vitest';
import { type RememberRequest, remember } from '../../../src/memory/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createHarness } from '../support/harness.ts';

const PARTS = {
  context: 'Raised the body size limit in infra/nginx/site.conf after uploads failed',
  insight: 'The proxy drops larger requests without any message to the client at all',
  action: 'Check client_max_body_size first whenever an upload fails silently',
};

function tell(request: Partial<RememberRequest>) {
  const harness = createHarness(temporaryFolder());
  onTestFinished(() => harness.close());
  return remember(harness.runtime, harness.context, { door: 'memory', source: 'work', signal: 'insight', ...request });
}

it('M37 counts nineteen words as too few and says how many there are', async () => {
  const nineteen = await tell({
    content:
      'Context: changed src/pool.ts today. Insight: limits are shared wide. Action: raise pool limits before adding more workers here',
  });
  expect(nineteen.gates?.words).toBeLessThan(20);
  expect(nineteen).toMatchObject({ status: 'rejected', code: 'quality_gates' });
  expect(nineteen.gates?.missing).toEqual(['length']);
  expect(nineteen.message).toContain(`${nineteen.gates?.words} of 20`);
});

it('M37 lets three full parts pass', async () => {
  expect(await tell(PARTS)).toMatchObject({ status: 'stored', gates: { passed: true, missing: [] } });
});

it('M37 names a missing action', async () => {
  const { action: _, ...rest } = PARTS;
  const answer = await tell({ ...rest, insight: `${PARTS.insight} which is why nobody noticed it for weeks` });
  expect(answer.gates?.missing).toEqual(['action']);
});

it('M37 refuses vague words and takes the same with a file and a command', async () => {
  const vague = {
    context: 'Fixed a bug in the code that somebody had found some time ago',
    insight: 'Something was wrong with how it worked and nobody really knew why',
    action: 'Look at the code with care when something is wrong again',
  };
  expect((await tell(vague)).gates?.missing).toEqual(['specificity']);
  const concrete = { ...vague, action: 'Run `npm test` and look at src/pool.ts when something is wrong again' };
  expect(await tell(concrete)).toMatchObject({ status: 'stored' });
});

it('M38 refuses raw tool output by its structure', async () => {
  const output = Array.from({ length: 60 }, (_, i) => `  ✓ src/file-${i}.test.ts (${i} tests) ${i * 3}ms`).join('\n');
  const answer = await tell({ content: output });
  expect(answer).toMatchObject({ status: 'rejected', code: 'quality_gates' });
  expect(answer.gates?.missing).toEqual(expect.arrayContaining(['context', 'insight', 'action']));
});

it('M39 holds an error-fix entry to its own gates', async () => {
  const answer = await tell({
    source: 'debug',
    signal: 'verified',
    error: 'EADDRINUSE: address already in use',
    fix: 'bind port 0 in tests',
  });
  expect(answer).toMatchObject({ status: 'stored', type: 'context', gates: { passed: true } });
});

it('M16 answers a failed gate at once and never tries again', async () => {
  const answer = await tell({ content: 'too short' });
  expect(answer).toMatchObject({ status: 'rejected', attempts: 1 });
  expect(answer.tookMs).toBeLessThan(250);
});
