import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { journalOf } from '../../test/journal-builder.ts';
import type { PairValue } from './analysis.ts';
import { contrastsOf } from './contrasts.ts';
import { samplesOf } from './sample.ts';
import { progressOf } from './stopping.ts';

/** In the plain way: attempt by attempt, a list of pairs for each metric. */
function plainly(attempts: ReturnType<ReturnType<typeof progressOf>['attempts']>, metric: string): PairValue[] {
  return [...attempts].flatMap(({ block, attempt, trials }) => {
    const [a, b] = ['a', 'b'].map((arm) => trials.find((trial) => trial.arm === arm));
    const [reference, arm] = [a?.metrics[metric] ?? null, b?.metrics[metric] ?? null];
    if (a === undefined || b === undefined || reference === null || arm === null) return [];
    const effect = arm < reference ? -Math.log(reference / arm) : Math.log(arm / reference);
    const reference_first = a.position < b.position;
    return [{ block, attempt, reference_first, reference, arm, effect, total: null }];
  });
}

test('columns of pairs have the pairs that a list would, also where values are missing', () => {
  const value = fc.oneof({ weight: 6, arbitrary: fc.double({ min: 1e-3, max: 1e9, noNaN: true }) }, fc.constant(null));
  const column = fc.array(value, { minLength: 8, maxLength: 8 });
  const metric = fc.record({ a: column, b: column });
  fc.assert(
    fc.property(metric, metric, fc.array(fc.nat(15), { maxLength: 4 }), (write, read, noisy) => {
      const journal = journalOf({
        values: { write, read },
        rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
        change: (trial, at) => ({ ...trial, noise: { ...trial.noise, steal: noisy.includes(at) ? 1 : 0 } }),
      });
      const { experiment } = journal.run;
      const attempts = progressOf(journal)
        .attempts()
        .filter(({ outcome }) => outcome === 'complete');
      const samples = samplesOf(contrastsOf(experiment, experiment.metrics), attempts);
      expect(samples.map(({ contrast }) => contrast.metric.name)).toEqual(['write', 'read']);
      for (const { contrast, pairs, unmatched } of samples) {
        const expected = plainly(attempts, contrast.metric.name);
        expect([...pairs]).toEqual(expected);
        expect([...pairs.effect]).toEqual(expected.map(({ effect }) => effect));
        expect(pairs.referenceFirst).toBe(expected.filter(({ reference_first }) => reference_first).length);
        expect(pairs.at(pairs.length)).toBeUndefined();
        const neither = attempts.length - expected.length - unmatched.arm - unmatched.reference;
        expect(neither).toBeGreaterThanOrEqual(0);
      }
    }),
    { seed: 6, numRuns: draws(60) },
  );
});
