import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { trialOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import { SLICES, sessionOf } from '../../test/session-slices.ts';
import { MOST_QUADS } from '../experiment/slices.ts';
import type { SessionSlices } from '../journal/records.ts';
import { type Pace, paceOf, placesOf, quadsOf, type SessionPlace } from './slices.ts';

fc.configureGlobal({ seed: 20261201 });

const NONE = { sides: [] };
const PACE: Pace = { operations: 4096, operation_ns: 150, unit: 64, most: null };
const PLACE: SessionPlace = { phase: 'confirmation', block: 1, attempt: 1 };

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const place = fc.record({
  phase: fc.constantFrom('screening', 'confirmation'),
  block: fc.integer({ min: 1, max: 500 }),
  attempt: fc.integer({ min: 1, max: 5 }),
});

/** Of many sessions of one seed. */
function many(sessions: number, pace = PACE, slices = SLICES) {
  return Array.from({ length: sessions }, (_, index) => quadsOf(NONE, slices, 7, { ...PLACE, block: index + 1 }, pace));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const covariance = mean(a.map((value, index) => (value - ma) * ((b[index] ?? 0) - mb)));
  const spread = (values: readonly number[], m: number) => Math.sqrt(mean(values.map((value) => (value - m) ** 2)));
  return covariance / (spread(a, ma) * spread(b, mb));
}

test('a session is the same for ever', () => {
  expect(quadsOf(NONE, SLICES, 7, PLACE, PACE).slice(0, 3)).toMatchInlineSnapshot(`
    [
      {
        "gap_ns": 116223,
        "leader": 0,
        "operations": 2048,
        "prelude": 512,
      },
      {
        "gap_ns": 65408,
        "leader": 0,
        "operations": 7296,
        "prelude": 1856,
      },
      {
        "gap_ns": 98226,
        "leader": 1,
        "operations": 4352,
        "prelude": 1088,
      },
    ]
  `);
  expect(quadsOf(NONE, SLICES, 7, PLACE, PACE)).toEqual(quadsOf(NONE, SLICES, 7, PLACE, PACE));
});

test('every quad holds what the drivers take, and its bounds', () => {
  const pace = fc.record({
    operations: fc.integer({ min: 1, max: 10_000 }),
    operation_ns: fc.double({ min: 10, max: 1e7, noNaN: true }),
    unit: fc.constantFrom(1, 7, 64, 256),
    most: fc.option(fc.integer({ min: 1, max: 10_000_000 })),
  });
  const prelude = fc.constantFrom(0, 0.1, 0.25, 1, 3);
  fc.assert(
    fc.property(seed, place, pace, prelude, (seed, place, drawn, prelude) => {
      const pace = { ...drawn, operations: drawn.operations * drawn.unit };
      const quads = quadsOf(NONE, { ...SLICES, session_ns: 2e7, prelude }, seed, place, pace);
      expect(quads.length).toBeGreaterThan(0);
      expect(quads.length).toBeLessThanOrEqual(MOST_QUADS);
      const nominal_ns = pace.operations * pace.operation_ns;
      for (const { operations, prelude: untimed, gap_ns } of quads) {
        expect(operations % pace.unit).toBe(0);
        expect(untimed % pace.unit).toBe(0);
        expect(operations).toBeGreaterThanOrEqual(Math.max(pace.unit, pace.operations / 2 - pace.unit / 2));
        expect(operations).toBeLessThanOrEqual(2 * pace.operations + pace.unit / 2);
        expect(Math.abs(untimed - prelude * operations)).toBeLessThanOrEqual(pace.unit / 2 + 1e-6);
        expect(gap_ns).toBeGreaterThanOrEqual(0);
        expect(gap_ns).toBeLessThanOrEqual(Math.round(nominal_ns / 2));
      }
      const done = quads.reduce((sum, quad) => sum + 2 * (quad.operations + quad.prelude), 0);
      if (quads.length > 1 && pace.most !== null) expect(done).toBeLessThanOrEqual(pace.most);
    }),
    { numRuns: draws(30) },
  );
});

test('the leader is drawn by a fair coin, each time anew', () => {
  const leaders = many(50).flatMap((quads) => quads.map(({ leader }) => leader as number));
  const tosses = leaders.length;
  expect(tosses).toBeGreaterThan(10_000);
  // Five standard deviations of a fair coin, and of the correlation of two that are independent.
  expect(Math.abs(mean(leaders) - 0.5)).toBeLessThan((5 * 0.5) / Math.sqrt(tosses));
  for (const lag of [1, 2, 3, 4]) {
    expect(Math.abs(correlation(leaders.slice(0, -lag), leaders.slice(lag)))).toBeLessThan(5 / Math.sqrt(tosses));
  }
});

test('the first leader of a session is fair over sessions, seeds and attempts', () => {
  const first = (sessions: readonly { readonly leader: number }[][]) =>
    mean(sessions.map((quads) => quads[0]?.leader ?? 2));
  const short = { ...SLICES, session_ns: 1e6 };
  const [over, of, at] = [
    many(2000, PACE, short),
    Array.from({ length: 2000 }, (_, index) => quadsOf(NONE, short, index, PLACE, PACE)),
    Array.from({ length: 2000 }, (_, index) => quadsOf(NONE, short, 7, { ...PLACE, attempt: index + 1 }, PACE)),
  ];
  for (const sessions of [over, of, at]) expect(Math.abs(first(sessions) - 0.5)).toBeLessThan(2.5 / Math.sqrt(2000));
});

test('lengths are log-uniform between half and twice the nominal, rests uniform up to half a slice', () => {
  const quads = many(50).flat();
  const unit = { ...PACE, unit: 1, operations: 1_000_000, operation_ns: 0.6 };
  const exponents = many(50, unit)
    .flat()
    .map(({ operations }) => (Math.log2(operations / 1_000_000) + 1) / 2);
  for (const [values, most] of [
    [exponents, 1],
    [quads.map(({ gap_ns }) => gap_ns), (PACE.operations * PACE.operation_ns) / 2],
  ] as const) {
    const sorted = values.map((value) => value / most).toSorted((a, b) => a - b);
    // Kolmogorov and Smirnov: 1.95 / √n is passed once in a thousand.
    const distance = Math.max(...sorted.map((value, index) => Math.abs(value - (index + 0.5) / sorted.length)));
    expect(distance).toBeLessThan(1.95 / Math.sqrt(sorted.length));
  }
});

test('who leads, how long, and the rest before it tell nothing of each other', () => {
  const quads = many(50).flat();
  const columns = [
    quads.map(({ leader }) => leader as number),
    quads.map(({ operations }) => Math.log(operations)),
    quads.map(({ gap_ns }) => gap_ns),
  ];
  for (const [index, column] of columns.entries()) {
    for (const other of columns.slice(index + 1)) {
      expect(Math.abs(correlation(column, other))).toBeLessThan(5 / Math.sqrt(quads.length));
    }
  }
});

test('a session depends on its own place alone', () => {
  const of = (changes: Partial<SessionPlace>, seed = 7) => quadsOf(NONE, SLICES, seed, { ...PLACE, ...changes }, PACE);
  const others = [of({ block: 2 }), of({ attempt: 2 }), of({ phase: 'screening' }), of({}, 8)];
  const leaders = [of({}), ...others].map((quads) => quads.map(({ leader }) => leader).join(''));
  expect(new Set(leaders).size).toBe(leaders.length);
});

test('there are as many quads as the time of a session holds', () => {
  const expected = (quads: ReturnType<typeof quadsOf>) =>
    mean(quads.map(({ operations, prelude, gap_ns }) => 4 * (operations + prelude) * PACE.operation_ns + gap_ns)) *
    quads.length;
  for (const quads of many(20)) expect(Math.abs(expected(quads) / SLICES.session_ns - 1)).toBeLessThan(0.1);
});

test('an operation that is a slice is done once a slice', () => {
  const quads = quadsOf(NONE, SLICES, 7, PLACE, { operations: 1, operation_ns: 3e6, unit: 1, most: null });
  expect(new Set(quads.map(({ operations, prelude }) => `${operations} ${prelude}`))).toEqual(new Set(['1 0']));
});

test('each place is drawn equally often', () => {
  const first = Array.from({ length: 2000 }, (_, index) => placesOf(NONE, 7, { ...PLACE, block: index + 1 })[0] - 1);
  expect(Math.abs(mean(first) - 0.5)).toBeLessThan(2.5 / Math.sqrt(2000));
});

/** A ramp: one quad of each number of operations; `ns` of an operation, of the first and the second subject. */
function ramp(counts: readonly number[], [a, b]: readonly [number, number], changes: Partial<SessionSlices> = {}) {
  return sessionOf(
    counts.map((operations) => ({ operations, ns: [a, b, b, a] })),
    changes,
  );
}

function warmup(session: SessionSlices, changes: Partial<RanTrial> = {}, block = 1): RanTrial[] {
  return ['a', 'b'].map((arm, index) =>
    trialOf({ phase: 'warmup', block, position: index + 1, arm }, index, {}, { session, ...changes }),
  );
}

test('the pace is what the last slices of the warm-up took, between both arms', () => {
  const slow = ramp([16, 32], [1e6, 1e6]);
  const session = ramp([16, 32, 64, 64], [100, 400]);
  const mixed = { ...session, wall_ns: session.wall_ns.map((ns, at) => (at < 8 ? ns * 50 : ns)) };
  const trials = [...warmup(slow), ...warmup(mixed, {}, 2)];
  expect(paceOf(SLICES, trials)).toEqual({ operations: 3008, operation_ns: 200, unit: 16, most: null });
  expect(paceOf({ ...SLICES, operations: 1000 }, trials)?.operations).toBe(1008);
});

test('there is no pace before a session of the warm-up went well', () => {
  const failure = { kind: 'signal', signal: 'SIGKILL' } as const;
  const [first, second] = warmup(ramp([16], [1, 1]));
  expect(paceOf(SLICES, [])).toBeNull();
  expect(paceOf(SLICES, warmup(ramp([], [1, 1])))).toBeNull();
  expect(paceOf(SLICES, [{ ...first, failure } as RanTrial, second as RanTrial])).toBeNull();
  expect(paceOf(SLICES, [first as RanTrial])).toBeNull();
});

test('units of both drivers hold, and the smaller of their limits', () => {
  const ready = [
    { unit: 6, most: 1000 },
    { unit: 4, most: 10_000 },
  ] as const;
  const pace = paceOf({ ...SLICES, prelude: 0 }, warmup(ramp([12, 24], [1, 1], { ready })));
  expect(pace).toEqual({ operations: 60, operation_ns: 1, unit: 12, most: 1000 });
});
