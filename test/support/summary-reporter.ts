import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends a run with the one line that a build server reads: `12 passed, 0 failed`. A file that cannot be loaded counts as
 * one failure, and a run without a single passing test fails.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const broken = tests.filter((test) => test.result().state === 'failed').length;
      passed += tests.filter((test) => test.result().state === 'passed').length;
      skipped += tests.filter((test) => test.result().state === 'skipped').length;
      failed += module.state() === 'failed' ? Math.max(1, broken) : broken;
    }
    if (passed === 0 || failed > 0) process.exitCode = 1;
    if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
