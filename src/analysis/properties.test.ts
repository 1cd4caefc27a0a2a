import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { balancedOrders, type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { analyse } from './analyse.ts';
import type { Analysis, Comparison, Effect } from './analysis.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

/** Every number anywhere in it, with the path to it. */
function* numbersOf(value: unknown, path = ''): Generator<readonly [path: string, value: number]> {
  if (typeof value === 'number') yield [path, value];
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* numbersOf(inner, `${path}/${key}`);
  }
}

const measured = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0.5, max: 2, noNaN: true }) },
  { weight: 2, arbitrary: fc.constantFrom(1, 1, 1, 1.0000001, 0.1 + 0.2, 0.3) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, -0, -1, 5e-324, 1e-300, 1e150, -1e150, 1e151, Number.MAX_VALUE, -Number.MAX_VALUE),
  },
);
const value = fc.oneof({ weight: 20, arbitrary: measured }, { weight: 1, arbitrary: fc.constant(null) });

const options: fc.Arbitrary<JournalOptions> = fc
  .record({
    n: fc.integer({ min: 0, max: 9 }),
    arms: fc.integer({ min: 2, max: 3 }),
    clean: fc.boolean(),
  })
  .chain(({ n, arms, clean }) => {
    const list = fc.array(clean ? measured : value, { minLength: n, maxLength: n });
    const byArm = fc.record(Object.fromEntries(['a', 'b', 'c'].slice(0, arms).map((arm) => [arm, list])));
    return fc
      .record({
        values: fc.record({ wall: byArm, count: byArm, rate: byArm }),
        noisy: fc.array(fc.nat(30), { maxLength: 6 }),
        failed: fc.option(fc.nat(60), { freq: 10 }),
        nothing: fc.boolean(),
        threshold: fc.constantFrom(0, 0.01, 1),
        margin: fc.constantFrom(null, 1, 5),
        level: fc.constantFrom(0.8, 0.95),
        ended: fc.boolean(),
      })
      .map(({ values, noisy, failed, nothing, threshold, margin, level, ended }) => ({
        values,
        screening: values,
        decision: { threshold, margin, level },
        metrics: { count: { kind: 'difference', primary: false }, rate: { better: 'higher' } },
        rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
        max_repeats: 0,
        ...(ended ? {} : { end: null }),
        change: (trial, index) => ({
          ...trial,
          noise: nothing
            ? { steal: null, other_cpu: null, frequency_hz: null }
            : { ...trial.noise, steal: noisy.includes(index) ? 0.5 : 0 },
          failure: index === failed ? { kind: 'timeout', timeout_ms: 1 } : null,
        }),
      }));
  });

test('no number of an analysis is NaN or infinite, and every comparison is sound', () => {
  fc.assert(
    fc.property(options, (journal) => {
      const analysis = analyse(journalOf(journal));
      for (const [path, number] of numbersOf(analysis)) {
        if (!Number.isFinite(number)) throw new Error(`${path} is ${number}`);
      }
      for (const comparison of analysis.comparisons) expectSound(comparison, analysis);
    }),
    { seed: 11, numRuns: FULL ? 200 : 50 },
  );
});

/** What holds of every comparison, whatever the data. */
function expectSound({ effect, verdict, values, pairs }: Comparison, { state }: Analysis): void {
  expect(pairs).toBe(effect === null ? 0 : values.length);
  if (effect === null) expect(['none', 'invalid']).toContain(verdict.kind);
  if (state === 'invalid') expect(verdict.kind).toBe('invalid');
  if (state === 'incomplete') expect(effect).toBeNull();
  if (effect === null) return;
  expect(effect.directions.up + effect.directions.down + effect.directions.tied).toBe(pairs);
  expect(effect.smallest_pair).toBeLessThanOrEqual(effect.largest_pair);
  if (effect.interval !== null) {
    expect(effect.interval[0]).toBeLessThanOrEqual(effect.change);
    expect(effect.interval[1]).toBeGreaterThanOrEqual(effect.change);
  }
}

const ratios = fc.record({
  a: fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 }),
  b: fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 }),
});

function only(journal: JournalOptions): Comparison & { readonly effect: Effect } {
  const [comparison] = analyse(journalOf(journal)).comparisons;
  if (comparison === undefined || comparison.effect === null) throw new Error('no effect');
  return { ...comparison, effect: comparison.effect };
}

describe('symmetries', () => {
  const decisions = fc.constantFrom({}, { threshold: 0.02 }, { threshold: 0.02, margin: 0.3 });

  test('swapping the roles of the arms turns the effect around', () => {
    fc.assert(
      fc.property(ratios, decisions, ({ a, b }, decision) => {
        const orders = balancedOrders(['a', 'b'], 6);
        const forth = only({ values: { time: { a, b } }, orders, decision });
        const back = only({ values: { time: { a, b } }, orders, decision, reference: 'b' });
        const log = ({ effect }: { effect: Effect }) =>
          [effect.change, effect.interval?.[0] ?? 0, effect.interval?.[1] ?? 0].map(Math.log1p);
        const [mean = 0, low = 0, high = 0] = log(forth);
        for (const [i, expected] of [-mean, -high, -low].entries()) expect(log(back)[i]).toBeCloseTo(expected, 10);
        const turned = { slower: 'faster', faster: 'slower' };
        const turn = (kind: string) => (kind === 'slower' || kind === 'faster' ? turned[kind] : kind);
        expect(back.verdict.kind).toBe(turn(forth.verdict.kind));
        expect(back.effect.directions.up).toBe(forth.effect.directions.down);
        expect(back.effect.wilcoxon_p).toBeCloseTo(forth.effect.wilcoxon_p ?? Number.NaN, 10);
      }),
      { seed: 5, numRuns: FULL ? 100 : 25 },
    );
  });

  test('another unit changes no ratio', () => {
    fc.assert(
      fc.property(ratios, decisions, fc.integer({ min: -60, max: 60 }), ({ a, b }, decision, exponent) => {
        const scaled = (list: readonly number[]) => list.map((x) => x * 2 ** exponent);
        const before = only({ values: { time: { a, b } }, decision });
        const after = only({ values: { time: { a: scaled(a), b: scaled(b) } }, decision });
        expect({ ...after.effect, means: null }).toEqual({ ...before.effect, means: null });
        expect(after.verdict).toEqual(before.verdict);
      }),
      { seed: 6, numRuns: FULL ? 50 : 25 },
    );
  });

  test('names and the order of arms in the file change nothing', () => {
    fc.assert(
      fc.property(ratios, ({ a, b }) => {
        const orders = balancedOrders(['a', 'b'], 6);
        const one = only({ values: { time: { a, b } }, orders });
        const other = only({ values: { time: { b, a } }, orders, reference: 'a' });
        const renamed = only({
          values: { time: { old: a, new: b } },
          orders: orders.map((order) => order.map((arm) => (arm === 'a' ? 'old' : 'new'))),
        });
        expect(other.effect).toEqual(one.effect);
        expect(renamed.effect).toEqual(one.effect);
      }),
      { seed: 7, numRuns: draws(20) },
    );
  });
});
