import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { type Quad, sessionOf } from '../../test/session-slices.ts';
import { bestQuads, componentsOf, sessionEffect } from './session-effect.ts';
import { median } from './stats/moments.ts';

const duration = fc.integer({ min: 1, max: 1e6 });
const quad: fc.Arbitrary<Quad> = fc.record({
  leader: fc.constantFrom<0 | 1>(0, 1),
  operations: fc.integer({ min: 1, max: 1000 }),
  ns: fc.tuple(duration, duration, duration, duration),
});

describe('the effect of a session', () => {
  test.each(vectors.order_stratified_median)('is half the sum of the medians of both orders', ({ ab, ba, value }) => {
    // A quad has a pair of each order: the shorter list gets its own median once more, which changes nothing.
    const padded = ab.length < ba.length ? [...ab, median(ab) ?? Number.NaN] : ab;
    expect(padded.length).toBe(ba.length);
    expect(effectOf(padded, ba)).toBeCloseTo(value, 7);
  });

  test('pairs neighbours of a quad by which of them is the reference', () => {
    // The reference (0) leads the first quad: AB is slices 1 and 2, BA slices 3 and 4.
    const session = sessionOf([
      { leader: 0, ns: [100, 110, 130, 100] },
      { leader: 1, ns: [130, 100, 100, 110] },
    ]);
    const effect = sessionEffect(session, 1, 'wall');
    expect(effect?.typical).toBeCloseTo((Math.log(1.1) + Math.log(1.3)) / 2, 12);
    expect(effect?.total).toBeCloseTo(Math.log(480 / 400), 12);
    expect(effect).toMatchObject({ halves: null, drift: null, quads: 2 });
  });

  test('changes its sign, and nothing else, when the arms change places', () => {
    fc.assert(
      fc.property(fc.array(quad, { minLength: 1, maxLength: 20 }), (quads) => {
        const [ours, theirs] = [0, 1].map((arm) => sessionEffect(sessionOf(quads), arm === 0 ? 0 : 1, 'wall'));
        expect(ours?.typical).toBeCloseTo(-(theirs?.typical ?? Number.NaN), 9);
        expect(ours?.total).toBeCloseTo(-(theirs?.total ?? Number.NaN), 9);
      }),
    );
  });

  test('is not to be had of no quad, nor of a slice that took no time', () => {
    expect(sessionEffect(sessionOf([]), 1, 'wall')).toBeNull();
    expect(sessionEffect(sessionOf([{ ns: [1, 0, 1, 1] }]), 1, 'wall')).toBeNull();
    expect(sessionEffect(sessionOf([{ ns: [1, 1, 1, 1] }], { cpu_ns: [1, 1, 0, 1] }), 1, 'cpu')).toBeNull();
  });

  test('one slice in a hundred that takes a hundred times as long is in the total, not in the typical slice', () => {
    const quads = Array.from({ length: 50 }, (_, i): Quad => ({ ns: [100, i === 7 ? 10_000 : 100, 100, 100] }));
    const effect = sessionEffect(sessionOf(quads), 1, 'wall');
    expect(effect?.typical).toBe(0);
    expect(effect?.total).toBeCloseTo(Math.log((99 * 100 + 10_000) / 10_000), 12);
  });

  test('drift is the change of the effect over the session', () => {
    const quads = Array.from({ length: 11 }, (_, i): Quad => {
      const slow = 100 * Math.exp(0.01 * i);
      return { ns: [100, slow, slow, 100] };
    });
    expect(sessionEffect(sessionOf(quads, {}), 1, 'wall')?.drift).toBeCloseTo(0.1, 9);
  });
});

describe('the effect on what is counted', () => {
  const four = (...values: number[]) => [...values, ...values];
  const quads: readonly Quad[] = [{ ns: [1, 1, 1, 1] }, { ns: [1, 1, 1, 1] }];
  const effect = (counters: Readonly<Record<string, readonly number[]>>) =>
    sessionEffect(sessionOf(quads, { counters: { enabled: four(10, 10, 10, 10), ...counters } }), 1, 'instructions');

  test('is estimated as that on time', () => {
    const all = effect({ instructions: four(100, 110, 110, 100), running: four(10, 10, 10, 10) });
    expect(all?.typical).toBeCloseTo(Math.log(1.1), 12);
    expect(all?.total).toBeCloseTo(Math.log(1.1), 12);
  });

  test('scales what did not run all the time, and leaves quads out in which it never ran', () => {
    const half = effect({ instructions: four(100, 55, 110, 100), running: four(10, 5, 10, 10) });
    expect(half?.typical).toBeCloseTo(Math.log(1.1), 12);
    const once = { instructions: [100, 110, 110, 100, 100, 0, 110, 100], running: [10, 10, 10, 10, 10, 0, 10, 10] };
    expect(effect(once)).toMatchObject({ quads: 1 });
    expect(effect(once)?.total).toBeCloseTo(Math.log(1.1), 12);
    expect(effect({ instructions: four(1, 1, 1, 1), running: four(0, 0, 0, 0) })).toBeNull();
  });

  test('is not to be had where a slice has none, or no answer says so', () => {
    expect(effect({ instructions: four(100, 0, 110, 100), running: four(10, 10, 10, 10) })).toBeNull();
    expect(effect({ running: four(10, 10, 10, 10) })).toBeNull();
    expect(effect({ instructions: four(1, 1, 1, 1), running: four(11, 11, 11, 11) })).toBeNull();
  });
});

/** Of a session whose pairs AB and BA have these effects. */
function effectOf(ab: readonly number[], ba: readonly number[]): number | undefined {
  const quads = ab.map(
    (effect, i): Quad => ({
      leader: 0,
      ns: [1e6, 1e6 * Math.exp(effect), 1e6 * Math.exp(ba[i] ?? 0), 1e6],
    }),
  );
  return sessionEffect(sessionOf(quads), 1, 'wall')?.typical;
}

describe('components of the variance', () => {
  const effect = { typical: 0, total: 0, drift: null, quads: 16 };

  test('halves that agree leave all of it between the sessions', () => {
    expect(componentsOf([{ ...effect, halves: [0.01, 0.01] }], 0.02)).toEqual({ within_sd: 0, between_sd: 0.02 });
  });

  test('halves that differ by as much as the sessions do leave nothing between them', () => {
    const found = componentsOf([{ ...effect, halves: [0.02, -0.02] }], 0.01);
    expect(found.within_sd).toBeCloseTo(0.02, 12);
    expect(found.between_sd).toBe(0);
  });

  test('a long set-up and noisy slices ask for longer sessions', () => {
    const costs = { setup_ns: 400e6, quad_ns: 1e6 };
    expect(bestQuads({ within_sd: 0.01, between_sd: 0.01 }, 100, costs)).toBe(200);
    expect(bestQuads({ within_sd: 0.01, between_sd: 0.01 }, 100, { ...costs, setup_ns: 100e6 })).toBe(100);
    expect(bestQuads({ within_sd: 0.01, between_sd: 0 }, 100, costs)).toBeNull();
    expect(bestQuads({ within_sd: null, between_sd: 0.01 }, 100, costs)).toBeNull();
  });
});
