import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build-once.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    // Processes, not threads: tests use native SQLite, change working folders and start workers of their own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/generated/**', 'src/**/assembly/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
