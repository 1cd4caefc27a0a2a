/**
 * Coverage of intervals from sessions of slices, with the draws that a run makes. What disturbs the machine is a function of the time at
 * which a slice runs, so that it can beat with the order of the arms.
 */
import { describe, expect, test } from 'vitest';
import { sessionEffect } from '../../src/analysis/session-effect.ts';
import { intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { quadsOf } from '../../src/plan/slices.ts';
import { type Quad, sessionOf } from '../session-slices.ts';
import { percentage, type Random, seeded } from './random.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const RUNS = FULL ? 10_000 : 100;
/** Three standard deviations of a share of 95 % in so many runs. */
const NOISE = 300 * Math.sqrt((0.95 * 0.05) / RUNS);
const SESSIONS = 12;
const SLICES = { slice_ns: 6e5, session_ns: 5e7, operations: null, prelude: 0.25, answer_timeout_ms: 1000 };
const PACE = { operations: 1000, operation_ns: 600, unit: 1, most: null };
const EFFECT = 0.01;

interface Machine {
  /** Of a slice: ln of the factor by which it takes longer. */
  noise(random: Random): number;
  /** Whatever goes on at a time, ns from the session's start: ln of a factor. */
  disturbance(random: Random): (at_ns: number) => number;
  /** What the second slice of two neighbours takes longer. */
  readonly order: number;
  /** Standard deviation of a process's own bias. */
  readonly layout: number;
}

const quiet: Machine = { noise: ({ normal }) => 0.01 * normal(), disturbance: () => () => 0, order: 0, layout: 0.005 };

/** One slice in twenty takes up to several times as long. */
const heavyTail = ({ normal, uniform }: Random): number =>
  0.01 * normal() + (uniform() < 0.05 ? -Math.log(uniform()) : 0);

function periodic(period_ns: number, size: number) {
  return ({ uniform }: Random) => {
    const phase = 2 * Math.PI * uniform();
    return (at_ns: number) => size * Math.sin((2 * Math.PI * at_ns) / period_ns + phase);
  };
}

/** What twelve sessions estimate, the arm being slower by `EFFECT`; `fixed`: in a fixed alternation ABAB of equal slices. */
function estimates(machine: Machine, random: Random, run: number): { typical: number[]; total: number[] } {
  const typical: number[] = [];
  const total: number[] = [];
  for (let block = 1; block <= SESSIONS; block++) {
    const place = { phase: 'confirmation', block, attempt: 1 };
    const planned = quadsOf({ sides: [] }, SLICES, run, place, PACE);
    const bias = machine.layout * random.normal();
    const disturb = machine.disturbance(random);
    let at = 0;
    const quads = planned.map(({ leader, operations, prelude, gap_ns }): Quad => {
      at += gap_ns;
      const slice = (place: number): number => {
        const isArm = (place === 0 || place === 3 ? leader : 1 - leader) === 1;
        at += prelude * PACE.operation_ns;
        const factor = machine.noise(random) + disturb(at) + (place % 2) * machine.order + (isArm ? EFFECT + bias : 0);
        const ns = PACE.operation_ns * Math.exp(factor);
        at += operations * ns;
        return ns;
      };
      return { leader, operations, ns: [slice(0), slice(1), slice(2), slice(3)] };
    });
    const effect = sessionEffect(sessionOf(quads), 1, 'wall');
    typical.push(effect?.typical ?? Number.NaN);
    total.push(effect?.total ?? Number.NaN);
  }
  return { typical, total };
}

function covers(values: readonly number[]): boolean {
  const estimate = meanEstimate(values);
  if (estimate === null) return false;
  const [low, high] = intervalOf(estimate, 0.95);
  return low <= EFFECT && EFFECT <= high;
}

function coverage(machine: Machine): { typical: number; total: number } {
  const random = seeded(1986);
  let total = 0;
  let run = 0;
  const typical = percentage(RUNS, () => {
    run += 1;
    const found = estimates(machine, random, run);
    total += covers(found.total) ? 100 / RUNS : 0;
    return covers(found.typical);
  });
  return { typical, total };
}

describe('intervals over sessions cover the effect', () => {
  test.for([
    ['a quiet machine', quiet],
    ['heavy tails', { ...quiet, noise: heavyTail }],
    ['an effect of the order within a pair', { ...quiet, order: 0.02 }],
    ['a disturbance as long as a pair of slices', { ...quiet, disturbance: periodic(1.2e6 * 1.25, 0.05) }],
    ['a disturbance as long as a quad', { ...quiet, disturbance: periodic(3e6, 0.05) }],
    ['a disturbance of a tenth of a session', { ...quiet, disturbance: periodic(5e6, 0.05) }],
    ['all of them', { ...quiet, noise: heavyTail, order: 0.02, disturbance: periodic(4e6, 0.05) }],
  ] as const)('%s', async ([, machine], { annotate }) => {
    const { typical, total } = coverage(machine);
    await annotate(`typical ${typical.toFixed(1)} %, total ${total.toFixed(1)} %`);
    expect(typical).toBeGreaterThan(93 - (FULL ? 0 : NOISE));
    expect(total).toBeGreaterThan(93 - (FULL ? 0 : NOISE));
  });
});
