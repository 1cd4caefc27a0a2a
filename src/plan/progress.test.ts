import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balancedOrders, trialOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import type { InterruptedRecord } from '../journal/records.ts';
import type { Attempt, Attempts } from './attempts.ts';
import type { Plan } from './plan.ts';
import { type Checkpoint, type Next, type Progress, type RepeatLimits, startProgress } from './progress.ts';

const STEAL = { fact: 'steal', when: 'above', limit: 0.02 } as const;
const LIMITS: RepeatLimits = { rules: [STEAL], max_repeats: 2, max_gap_ms: null, sessions: false };
const ARMS = ['before', 'after'];

function planOf(blocks: number, arms: readonly string[] = ARMS): Plan {
  return { seed: 1, sequential: null, phases: [{ phase: 'confirmation', blocks: balancedOrders(arms, blocks) }] };
}

type Happening = (trial: RanTrial, slot: number) => Partial<RanTrial>;

/** Runs a plan to its end as the run loop does; `happening` says what befalls each trial. */
function run(plan: Plan, limits: RepeatLimits, happening: Happening = () => ({}), most = 1000) {
  const progress = startProgress(plan, limits);
  const trials: RanTrial[] = [];
  const interruptions: InterruptedRecord[] = [];
  let next = progress.next();
  while (next.kind === 'interrupt' || (next.kind === 'trial' && trials.length < most)) {
    if (next.kind === 'interrupt') {
      interruptions.push(next.record);
      progress.interrupt(next.record);
    } else {
      const plain = trialOf({ ...next.planned, attempt: next.attempt }, trials.length, { wall: 1 });
      const trial = { ...plain, ...happening(plain, trials.length) };
      trials.push(trial);
      expect(progress.record(trial)).toBe(true);
    }
    next = progress.next();
  }
  return { progress, trials, interruptions, next };
}

function plain(attempts: Attempts): Attempt[] {
  return Array.from(attempts, ({ phase, block, attempt, trials, outcome }) => ({
    ...{ phase, block, attempt, trials, outcome },
  }));
}

/** `block.attempt` of each attempt with its outcome. */
function story(progress: Progress): string[] {
  return Array.from(progress.attempts(), ({ block, attempt, outcome }) => `${block}.${attempt} ${outcome}`);
}

function noisy(trial: RanTrial): Partial<RanTrial> {
  return { noise: { ...trial.noise, steal: 0.031 } };
}

function later(trial: RanTrial, by_ns: number): Partial<RanTrial> {
  const { account } = trial;
  return {
    account: {
      ...account,
      started_boot_ns: account.started_boot_ns + by_ns,
      ended_boot_ns: account.ended_boot_ns + by_ns,
    },
  };
}

describe('the order of a run', () => {
  test('is the order of the plan when nothing happens', () => {
    const plan: Plan = {
      seed: 1,
      sequential: null,
      phases: [
        { phase: 'warmup', blocks: balancedOrders(ARMS, 1) },
        { phase: 'screening', blocks: balancedOrders(ARMS, 2) },
        { phase: 'confirmation', blocks: balancedOrders(ARMS, 2) },
      ],
    };
    const { trials, next } = run(plan, LIMITS);
    expect(next).toEqual({ kind: 'done' });
    expect(trials.map((trial) => `${trial.phase} ${trial.block}.${trial.position} ${trial.arm}`)).toEqual([
      'warmup 1.1 before',
      'warmup 1.2 after',
      'screening 1.1 before',
      'screening 1.2 after',
      'screening 2.1 after',
      'screening 2.2 before',
      'confirmation 1.1 before',
      'confirmation 1.2 after',
      'confirmation 2.1 after',
      'confirmation 2.2 before',
    ]);
  });

  test('an empty plan is done', () => {
    expect(startProgress({ seed: 1, sequential: null, phases: [] }, LIMITS).next()).toEqual({ kind: 'done' });
  });

  test('a trial that is not due is refused and changes nothing', () => {
    const progress = startProgress(planOf(2), LIMITS);
    const stray = trialOf({ phase: 'confirmation', block: 1, position: 2, arm: 'after' }, 0, {});
    expect(progress.record(stray)).toBe(false);
    expect(progress.strays()).toEqual([stray]);
    expect(progress.next()).toMatchObject({ kind: 'trial', planned: { block: 1, position: 1, arm: 'before' } });
  });
});

describe('rejection', () => {
  test('repeats the whole pair in the same order after all planned blocks, in the order of rejection', () => {
    const { progress, trials } = run(planOf(4), LIMITS, (trial) =>
      trial.attempt === 1 && (trial.block === 3 || trial.block === 2) && trial.position === 2 ? noisy(trial) : {},
    );
    expect(story(progress)).toEqual([
      '1.1 complete',
      '2.1 rejected',
      '3.1 rejected',
      '4.1 complete',
      '2.2 complete',
      '3.2 complete',
    ]);
    expect(trials.slice(8).map((trial) => trial.arm)).toEqual(['after', 'before', 'after', 'before']);
  });

  test('repeats a pair max_repeats times at most', () => {
    const { progress, next } = run(planOf(2), LIMITS, (trial) => (trial.block === 1 ? noisy(trial) : {}));
    expect(next.kind).toBe('done');
    expect(story(progress)).toEqual(['1.1 rejected', '2.1 complete', '1.2 rejected', '1.3 rejected']);
    const once = run(planOf(2), { ...LIMITS, max_repeats: 0 }, (trial) => noisy(trial));
    expect(story(once.progress)).toEqual(['1.1 rejected', '2.1 rejected']);
  });

  test('spares warm-up and screening', () => {
    const plan: Plan = {
      seed: 1,
      sequential: null,
      phases: [
        { phase: 'warmup', blocks: balancedOrders(ARMS, 1) },
        { phase: 'screening', blocks: balancedOrders(ARMS, 1) },
      ],
    };
    expect(story(run(plan, LIMITS, noisy).progress)).toEqual(['1.1 complete', '1.1 complete']);
  });

  test('never takes a failed pair: a failure is no rejection and has no repeat', () => {
    const { progress } = run(planOf(2), LIMITS, (trial) =>
      trial.block === 1 ? { ...noisy(trial), failure: { kind: 'timeout', timeout_ms: 1 } } : {},
    );
    expect(story(progress)).toEqual(['1.1 failed', '2.1 complete']);
  });
});

describe('gaps', () => {
  test('repeat the pair whole and in its place', () => {
    const { progress, interruptions, trials } = run(planOf(3), LIMITS, (trial, slot) =>
      slot >= 3 ? later(trial, 61e9) : {},
    );
    expect(story(progress)).toEqual(['1.1 complete', '2.1 interrupted', '2.2 complete', '3.1 complete']);
    expect(interruptions).toEqual([
      { kind: 'interrupted', phase: 'confirmation', block: 2, attempt: 1, reason: 'gap' },
    ]);
    expect(trials).toHaveLength(8);
  });

  test('are measured against 60 s or three trial lengths, the longer, unless a limit is given', () => {
    const gapOf = (seconds: number) => (trial: RanTrial, slot: number) => (slot > 0 ? later(trial, seconds * 1e9) : {});
    const long = (seconds: number) => (trial: RanTrial, slot: number) => {
      const moved = gapOf(seconds)(trial, slot).account ?? trial.account;
      return { account: { ...moved, wall_ns: 30e9 } };
    };
    expect(run(planOf(1), LIMITS, gapOf(59)).interruptions).toHaveLength(0);
    expect(run(planOf(1), LIMITS, gapOf(61), 2).interruptions).toHaveLength(1);
    expect(run(planOf(1), LIMITS, long(89)).interruptions).toHaveLength(0);
    expect(run(planOf(1), LIMITS, long(91), 2).interruptions).toHaveLength(1);
    expect(run(planOf(1), { ...LIMITS, max_gap_ms: 1000 }, gapOf(2), 2).interruptions).toHaveLength(1);
    expect(run(planOf(1), { ...LIMITS, max_gap_ms: 100_000 }, gapOf(61)).interruptions).toHaveLength(0);
  });

  test('within a session are none: its halves run at the same time', () => {
    // The second starts long before the first ends, or seems to be of another boot.
    const overlap = (trial: RanTrial) => (trial.position === 2 ? later(trial, -1.4e9) : {});
    expect(run(planOf(2), LIMITS, overlap, 4).interruptions.length).toBeGreaterThan(0);
    const { progress, interruptions } = run(planOf(2), { ...LIMITS, sessions: true }, overlap);
    expect(interruptions).toEqual([]);
    expect(story(progress)).toEqual(['1.1 complete', '2.1 complete']);
  });

  test('between pairs are none', () => {
    expect(run(planOf(2), LIMITS, (trial, slot) => (slot > 1 ? later(trial, 1e13) : {})).interruptions).toEqual([]);
  });

  test('counted trials, which nothing disturbs, have none, and no rule rejects them', () => {
    const plan: Plan = { seed: 1, sequential: null, phases: [{ phase: 'counting', blocks: balancedOrders(ARMS, 3) }] };
    const { progress, interruptions, trials } = run(plan, LIMITS, (trial, slot) => ({
      ...later(trial, slot * 1e12),
      ...noisy(trial),
    }));
    expect(interruptions).toEqual([]);
    expect(trials).toHaveLength(6);
    expect(story(progress)).toEqual(['1.1 complete', '2.1 complete', '3.1 complete']);
  });

  test('a clock that started anew between the halves is a gap', () => {
    const { progress } = run(planOf(1), LIMITS, (trial, slot) => (slot >= 1 ? later(trial, -1.5e9) : {}));
    expect(story(progress)[0]).toBe('1.1 interrupted');
  });

  test('do not count as rejections', () => {
    const { progress } = run(planOf(1), { ...LIMITS, max_repeats: 1 }, (trial, slot) => {
      const base = slot >= 1 ? later(trial, 61e9) : {};
      return slot >= 2 && slot <= 3 ? { ...base, ...noisy(trial) } : base;
    });
    expect(story(progress)).toEqual(['1.1 interrupted', '1.2 rejected', '1.3 complete']);
  });

  test('that come back every time end in a word and not in an endless loop', () => {
    let moved = 0;
    const { next, trials } = run(planOf(1), LIMITS, (trial) => {
      moved += 61e9;
      return later(trial, moved);
    });
    expect(next).toMatchObject({ kind: 'stuck' });
    expect(trials).toHaveLength(10);
  });
});

describe('a stop and resume', () => {
  test('repeats the broken pair whole and keeps the rest', () => {
    const stopped = run(planOf(3), LIMITS, () => ({}), 3);
    const record = stopped.progress.unfinished();
    expect(record).toEqual({ kind: 'interrupted', phase: 'confirmation', block: 2, attempt: 1, reason: 'resumed' });
    const resumed = startProgress(planOf(3), LIMITS);
    for (const trial of stopped.trials) {
      resumed.record(trial);
    }
    if (record !== null) {
      resumed.interrupt(record);
    }
    expect(resumed.unfinished()).toBeNull();
    expect(resumed.next()).toMatchObject({ kind: 'trial', planned: { block: 2, position: 1 }, attempt: 2 });
    expect(story(resumed)).toEqual(['1.1 complete', '2.1 interrupted']);
  });

  test('between two pairs repeats nothing', () => {
    expect(run(planOf(3), LIMITS, () => ({}), 2).progress.unfinished()).toBeNull();
  });
});

describe('replay', () => {
  test('of what a run wrote leads to the same place, whatever happened and wherever it was stopped', () => {
    const fate = fc.constantFrom('fine', 'fine', 'fine', 'noisy', 'gap', 'failed', 'stop');
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 60 }), fc.integer({ min: 2, max: 3 }), (fates, arms) => {
        const plan: Plan = {
          seed: 1,
          sequential: null,
          phases: [
            { phase: 'warmup', blocks: balancedOrders(['a', 'b', 'c'].slice(0, arms), 1) },
            { phase: 'screening', blocks: balancedOrders(['a', 'b', 'c'].slice(0, arms), 2) },
            { phase: 'confirmation', blocks: balancedOrders(['a', 'b', 'c'].slice(0, arms), 4) },
          ],
        };
        let progress = startProgress(plan, LIMITS);
        const trials: RanTrial[] = [];
        const interruptions: InterruptedRecord[] = [];
        const replay = () => {
          const again = startProgress(plan, LIMITS);
          for (const record of interruptions) again.interrupt(record);
          for (const trial of trials) expect(again.record(trial)).toBe(true);
          return again;
        };
        let saved: { text: string; trials: number; interruptions: number } | null = null;
        const fromCheckpoint = () => {
          const checkpoint: Checkpoint | null = saved === null ? null : JSON.parse(saved.text);
          const again = startProgress(plan, LIMITS, null, checkpoint);
          for (const record of interruptions.slice(saved?.interruptions ?? 0)) again.interrupt(record);
          for (const trial of trials.slice(saved?.trials ?? 0)) expect(again.record(trial)).toBe(true);
          return again;
        };
        let moved = 0;
        let next: Next = progress.next();
        for (let step = 0; next.kind !== 'done' && next.kind !== 'stuck'; step += 1) {
          const happens = fates[step] ?? 'fine';
          if (next.kind === 'interrupt') {
            interruptions.push(next.record);
            progress.interrupt(next.record);
          } else {
            moved += happens === 'gap' ? 61e9 : 0;
            const plain = trialOf({ ...next.planned, attempt: next.attempt }, trials.length, {});
            const trial: RanTrial = {
              ...plain,
              ...later(plain, moved),
              ...(happens === 'noisy' ? noisy(plain) : {}),
              ...(happens === 'failed' ? { failure: { kind: 'timeout', timeout_ms: 1 } } : {}),
            };
            trials.push(trial);
            progress.record(trial);
          }
          const again = replay();
          expect(again.next()).toEqual(progress.next());
          expect(plain(again.attempts())).toEqual(plain(progress.attempts()));
          expect(again.trialsLeft()).toBe(progress.trialsLeft());
          const resumed = fromCheckpoint();
          expect(resumed.next()).toEqual(progress.next());
          expect(resumed.unfinished()).toEqual(progress.unfinished());
          expect(resumed.trialsLeft()).toBe(progress.trialsLeft());
          expect(resumed.recorded()).toEqual(progress.recorded());
          const checkpoint = progress.checkpoint();
          if (checkpoint !== null && step % 3 === 0) {
            const counts = { trials: trials.length, interruptions: interruptions.length };
            saved = { text: JSON.stringify(checkpoint), ...counts };
          }
          if (happens === 'stop') {
            progress = again;
            const broken = progress.unfinished();
            if (broken !== null) {
              interruptions.push(broken);
              progress.interrupt(broken);
            }
          }
          next = progress.next();
        }
        // Every planned block has an attempt that ended, in the order of the plan by first attempt.
        if (next.kind === 'done') {
          expect(progress.trialsLeft()).toBe(0);
          const ended = progress.attempts().filter(({ outcome }) => outcome !== 'interrupted' && outcome !== 'open');
          expect(new Set(Array.from(ended, ({ phase, block }) => `${phase} ${block}`)).size).toBe(1 + 2 + 4);
          expect(progress.strays()).toEqual([]);
        }
      }),
      { seed: 3, numRuns: process.env['ASSAY_TEST_FULL'] === '1' ? 300 : 40 },
    );
  });
});

test('trialsLeft counts what is planned and the repeats that are known', () => {
  const progress = startProgress(planOf(2), LIMITS);
  const seen = [progress.trialsLeft()];
  for (let slot = 0; slot < 6; slot += 1) {
    const next = progress.next();
    if (next.kind !== 'trial') throw new Error('a trial was due');
    const trial = trialOf({ ...next.planned, attempt: next.attempt }, slot, {});
    progress.record(slot === 0 ? { ...trial, ...noisy(trial) } : trial);
    seen.push(progress.trialsLeft());
  }
  expect(seen).toEqual([4, 3, 4, 3, 2, 1, 0]);
});
