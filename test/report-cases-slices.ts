/** Runs of sessions, and runs that may end early, for the golden files. */
import { progressOf } from '../src/analysis/stopping.ts';
import type { Metric } from '../src/experiment/experiment.ts';
import type { SessionSlices } from '../src/journal/records.ts';
import { quadsOf } from '../src/plan/slices.ts';
import { sliceValue } from '../src/trial/slice-metrics.ts';
import { type JournalOptions, journalOf, type SideOptions } from './journal-builder.ts';
import type { RanJournal, RanTrial } from './ran.ts';
import { around } from './report-values.ts';
import { SLICES, sessionOf } from './session-slices.ts';

const OLD = 'v4.1.0';
const NEW = 'v5.2.1';
const OPERATION_NS = 1_200;

/** How an arm's slices come out. */
interface Course {
  /** Of one operation, against the reference. */
  readonly factor: number;
  /** A slice is a flush, 60 times as long, where a draw is so many standard deviations above the others; null: none. */
  readonly stall: number | null;
}

interface SessionModel {
  readonly courses: Readonly<Record<string, Course>>;
  readonly quads: number;
  /** Relative: of one slice, and of a session's own bias for an arm. */
  readonly within: number;
  readonly between: number;
  readonly seed: number;
}

const SLICE_METRICS = {
  write: { from: { kind: 'slice', name: 'wall' }, unit: 'ns' },
  cpu: { from: { kind: 'slice', name: 'cpu' }, unit: 'ns', primary: false },
  stalls: {
    ...{ from: { kind: 'slice', name: 'stalls' }, unit: 'slices', kind: 'difference', primary: false },
    ...{ threshold: 0, margin: null },
  },
} as const satisfies Readonly<Record<string, Partial<Metric>>>;

const PACE = { operations: 500, operation_ns: OPERATION_NS, unit: 1, most: null };
const PHASES = ['warmup', 'confirmation', 'same'];

/** The warm-up's first session doubles the number of operations. */
function rampOf(): SessionSlices {
  const operations = [64, 128, 256, 512, 512, 512];
  return sessionOf(operations.map((count) => ({ operations: count, ns: [1300, 1290, 1295, 1305] })));
}

function slicesIn(journal: RanJournal, pair: readonly RanTrial[], model: SessionModel): SessionSlices {
  const [first] = pair;
  if (first === undefined) throw new Error('a session has two trials');
  if (first.phase === 'warmup') return rampOf();
  const slices = { ...SLICES, session_ns: model.quads * 4 * 1.082 * 1.3 * SLICES.slice_ns };
  const planned = quadsOf(journal.run.experiment, slices, model.seed, first, PACE);
  const seed = model.seed + 7919 * PHASES.indexOf(first.phase) + 104_729 * first.block + 15_485_863 * first.attempt;
  const noise = around(1e6, model.within, seed, 4 * planned.length).map((value) => value / 1e6);
  const bias = around(1e6, model.between, seed + 1, 2).map((value) => value / 1e6);
  const done = planned.map((quad, at) => {
    const subjects = [quad.leader, 1 - quad.leader, 1 - quad.leader, quad.leader];
    const ns = subjects.map((subject, place) => {
      const course = model.courses[pair[subject]?.arm.replace(/-twin$/, '') ?? ''] ?? { factor: 1, stall: null };
      const luck = noise[(7 * (4 * at + place) + 3) % noise.length] ?? 1;
      const stalled = course.stall !== null && luck > 1 + course.stall * model.within ? 60 : 1;
      return Math.round(OPERATION_NS * course.factor * (bias[subject] ?? 1) * (noise[4 * at + place] ?? 1) * stalled);
    });
    return { ...quad, ns: ns as unknown as readonly [number, number, number, number] };
  });
  const session = sessionOf(done, {
    prelude: planned.map(({ prelude }) => prelude),
    gap_ns: planned.map(({ gap_ns }) => gap_ns),
  });
  return { ...session, cpu_ns: session.wall_ns.map((ns) => Math.min(ns, 3_000_000)) };
}

/** Both processes of a session live from its start to its end. */
function together(trial: RanTrial, first: RanTrial, session: SessionSlices): RanTrial['account'] {
  const work = session.wall_ns.reduce((sum, ns) => sum + ns, 0);
  const wall_ns = Math.round(work * 1.3) + 140_000_000;
  const delay = trial.position === 1 ? 0 : 900_000;
  const { started_boot_ns, started_unix_ms } = first.account;
  const cpu_ns = Math.round(wall_ns / 2);
  return {
    ...trial.account,
    ...{ wall_ns, cpu_ns, started_boot_ns: started_boot_ns + delay, ended_boot_ns: started_boot_ns + delay + wall_ns },
    started_unix_ms: started_unix_ms + delay / 1e6,
  };
}

/** The journal with each pair made a session, and metrics of slices read from it. */
function inTurns(journal: RanJournal, model: SessionModel): RanJournal {
  const { experiment } = journal.run;
  const isHalf = (one: RanTrial, of: RanTrial) =>
    one.phase === of.phase && one.block === of.block && one.attempt === of.attempt;
  const trials = journal.trials.map((trial): RanTrial => {
    const pair = journal.trials.filter((one) => isHalf(one, trial)).sort((a, b) => a.position - b.position);
    const session = slicesIn(journal, pair, model);
    const subject = trial.position === 1 ? 0 : 1;
    const metrics = Object.fromEntries(
      experiment.metrics.map(({ name, from }) => [
        name,
        from.kind === 'slice' ? sliceValue(from.name, session, subject) : (trial.metrics[name] ?? null),
      ]),
    );
    return { ...trial, metrics, session, account: together(trial, pair[0] ?? trial, session) };
  });
  return {
    ...journal,
    run: {
      ...journal.run,
      experiment: { ...experiment, design: { ...experiment.design, slices: SLICES } },
    },
    trials,
  };
}

interface SessionsOptions extends Partial<Omit<JournalOptions, 'values'>> {
  readonly sessions: number;
  readonly model: SessionModel;
}

/** Values of slices are read from the sessions later; those given here only say how many there are. */
function sessionsRun({ sessions, model, ...options }: SessionsOptions): RanJournal {
  const none = { [OLD]: around(1, 0, 1, sessions), [NEW]: around(1, 0, 1, sessions) };
  const journal = journalOf({
    title: 'Write path in turns, 4.1.0 against 5.2.1',
    question: 'Did the write path become slower between the two releases?',
    seed: 20_240_106,
    warmup: 1,
    values: {
      ...{ write: none, cpu: none, stalls: none },
      max_rss: { [OLD]: around(61e6, 0.01, 401, sessions), [NEW]: around(62e6, 0.01, 402, sessions) },
    },
    ...options,
  });
  return inTurns(journal, model);
}

const SYSTEM = { unit: 'bytes', from: { kind: 'system', name: 'max_rss' } } as const;

export const MODEL: SessionModel = {
  courses: { [OLD]: { factor: 1, stall: null }, [NEW]: { factor: 1.021, stall: 2.4 } },
  ...{ quads: 60, within: 0.012, between: 0.004, seed: 20_240_106 },
};

const AA: SideOptions = {
  name: 'same',
  control: { kind: 'same' },
  values: {
    write: { [OLD]: [1, 1, 1, 1], [`${OLD}-twin`]: [1, 1, 1, 1] },
    max_rss: { [OLD]: around(61e6, 0.01, 421, 4), [`${OLD}-twin`]: around(61e6, 0.01, 422, 4) },
  },
};

/** Slower in the typical slice; the new arm stalls now and then. Two copies of the reference beside it. */
export function sessions(changes: Partial<SessionsOptions> = {}): RanJournal {
  return sessionsRun({
    sessions: 8,
    model: MODEL,
    metrics: { ...SLICE_METRICS, max_rss: { ...SYSTEM, primary: false } },
    decision: { threshold: 0.01 },
    sides: [AA],
    ...changes,
  });
}

/** The journal up to the look that decides it, as a run would have left it. */
function stopped(journal: RanJournal): RanJournal {
  for (let pairs = 1; 2 * pairs < journal.trials.length; pairs += 1) {
    const early = { ...journal, trials: journal.trials.slice(0, 2 * pairs) };
    if (progressOf(early).next().kind === 'done') return early;
  }
  throw new Error('no look decides the run');
}

/** The second arm is `factor` times the first. */
function both(mean: number, factor: number, spread: number, seed: number, count: number) {
  return { [OLD]: around(mean, spread, seed, count), [NEW]: around(mean * factor, spread, seed + 1, count) };
}

/** Every case by its name, as in report-cases.ts. */
export const SLICE_CASES = {
  sessions: () => sessions(),
  /** Pairs that decided the run before its end. */
  sequential: () =>
    stopped(
      journalOf({
        title: 'RocksDB write path, 4.1.0 against 5.2.1',
        question: 'Did the write path become slower between the two releases?',
        seed: 20_240_107,
        values: { write: both(412_000_000, 1.023, 0.018, 411, 40), batch: both(38_200_000, 1.002, 0.006, 413, 40) },
        metrics: { batch: { primary: false } },
        sequential: { min: 6, max: 40 },
        decision: { threshold: 0.01, margin: 0.02 },
      }),
    ),
  /** Looked at whenever both arms had started first equally often, and never decided. */
  'sequential-sessions': () =>
    sessions({
      sessions: 12,
      sides: [],
      sequential: { min: 6, max: 12 },
      model: {
        ...MODEL,
        courses: { [OLD]: { factor: 1, stall: null }, [NEW]: { factor: 1.004, stall: null } },
        between: 0.009,
      },
    }),
} satisfies Readonly<Record<string, () => RanJournal>>;
