import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { trialOf } from '../../test/journal-builder.ts';
import { type Attempt, type AttemptOutcome, type Attempts, attemptLog } from './attempts.ts';

const OUTCOMES: readonly AttemptOutcome[] = ['open', 'complete', 'rejected', 'failed', 'interrupted'];

function plain(attempts: Attempts): Attempt[] {
  return Array.from(attempts, ({ phase, block, attempt, trials, outcome }) => ({
    ...{ phase, block, attempt, trials, outcome },
  }));
}

test('packed attempts are those that were added, chosen and cut as a list is', () => {
  const kinds = fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 3 }), outcome: fc.constantFrom(...OUTCOMES), again: fc.boolean() }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(kinds, fc.constantFrom(...OUTCOMES), fc.nat(45), (made, wanted, count) => {
      const log = attemptLog();
      const list = made.map(({ size, outcome, again }, index): Attempt => {
        const place = { phase: 'confirmation', block: index + 1, attempt: again ? 2 : 1 };
        const trials = Array.from({ length: size }, (_, at) =>
          trialOf({ ...place, position: at + 1, arm: `arm-${at}` }, at, { wall: index }),
        );
        log.begin(place.phase);
        for (const trial of trials) log.add(trial);
        log.settle(outcome);
        return { ...place, trials, outcome };
      });
      const chosen = log.attempts.filter(({ outcome }) => outcome === wanted);
      const listed = list.filter(({ outcome }) => outcome === wanted);
      for (const [packed, expected] of [
        [log.attempts, list],
        [chosen, listed],
        [chosen.first(count), listed.slice(0, count)],
        [log.attempts.first(count), list.slice(0, count)],
        [chosen.filter(({ attempt }) => attempt === 2), listed.filter(({ attempt }) => attempt === 2)],
      ] as const) {
        expect(plain(packed)).toEqual(expected);
        expect(packed.length).toBe(expected.length);
        expect(packed.trials()).toEqual(expected.flatMap(({ trials }) => trials));
        for (const index of [0, count, -1, -count]) expect(packed.at(index)?.block).toBe(expected.at(index)?.block);
      }
    }),
    { seed: 5, numRuns: draws(100) },
  );
});
