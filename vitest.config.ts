import { defineConfig } from 'vitest/config';
import { SkipsFail } from './test/skips-fail.ts';

const full = process.env['ASSAY_TEST_FULL'] === '1';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most of the time is spent waiting for processes that sleep.
    maxWorkers: 3,
    reporters: full ? ['default', new SkipsFail()] : ['default'],
  },
});
