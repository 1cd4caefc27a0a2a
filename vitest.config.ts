import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { SkipsFail } from './test/skips-fail.ts';

const full = process.env['ASSAY_TEST_FULL'] === '1';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Whole files that the quick tests leave out; single tests say `runIf`.
    exclude: full ? [] : ['**/*.full.test.ts'],
    // A process that hangs, not a slow machine: tests that start processes take twenty times as long where others work too.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Loading what is tested anew for each file took a quarter of the time of the tests that start no program.
    // So a test leaves its process as it found it.
    isolate: false,
    globalSetup: ['test/bundled-program.ts'],
    setupFiles: ['test/each-file.ts'],
    // More than there are CPUs: some tests wait for processes that sleep.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    reporters: full ? ['default', new SkipsFail()] : ['default'],
  },
});
