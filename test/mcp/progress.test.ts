import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createProgressReporter } from '../../src/mcp/progress.ts';

describe('progress', () => {
  function collect(heartbeatMs?: number) {
    const sent: { progress: number; total?: number; message?: string }[] = [];
    const reporter = createProgressReporter(async (progress) => {
      sent.push(progress);
    }, heartbeatMs);
    return { sent, reporter };
  }

  it('rises with every report, also when the operation repeats itself or goes back', async () => {
    const { sent, reporter } = collect();
    for (const done of [0, 5, 5, 3, 6]) reporter.report(done, 10, 'step');
    await reporter.stop();
    const values = sent.map(({ progress }) => progress);
    expect([...values].sort((a, b) => a - b)).toEqual(values);
    expect(new Set(values).size).toBe(5);
    expect(values.map(Math.floor)).toEqual([0, 5, 5, 5, 6]);
    expect(sent[0]).toEqual({ progress: 0, total: 10, message: 'step' });
  });

  it('gives a sign of life while the operation says nothing, and none after the end', async () => {
    const { sent, reporter } = collect(10);
    reporter.report(4, 8);
    while (sent.length < 4) await sleep(5);
    await reporter.stop();
    const count = sent.length;
    for (const { progress, total } of sent) expect([Math.floor(progress), total]).toEqual([4, 8]);
    await sleep(50);
    expect(sent).toHaveLength(count);
  });

  it('waits at the end until everything is sent', async () => {
    const sent: number[] = [];
    const reporter = createProgressReporter(async ({ progress }) => {
      await sleep(20);
      sent.push(progress);
    });
    reporter.report(1);
    reporter.report(2);
    await reporter.stop();
    expect(sent).toEqual([1, 2]);
  });
});
