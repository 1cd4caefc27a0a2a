/** Before each file of tests: files share processes, and what one has set must not reach the next. */
import fc from 'fast-check';
import { draws } from './draws.ts';

/** Of what properties are tried with. The same in every run, so that a red one is about a change and not about a draw. */
const SEED = 20_251_201;

fc.resetConfigureGlobal();
// Other draws find other faults: ASSAY_TEST_SEED=$RANDOM npx vitest run …
fc.configureGlobal({ seed: Number(process.env['ASSAY_TEST_SEED'] ?? SEED), numRuns: draws(100) });
