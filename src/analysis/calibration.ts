/**
 * What a calibration found: a pure function of its journals. Its confirmation is cut into runs of as many pairs as the experiment has,
 * and each is judged as that experiment would be (docs/calibration.md).
 */
import type { Experiment } from '../experiment/experiment.ts';
import type { Calibration, MetricCalibration, Rate } from '../journal/calibration.ts';
import type { Journal } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import { sequentialOf } from '../plan/plan.ts';
import type { Comparison, Direction, Interval } from './analysis.ts';
import { compare, keptAndRejected } from './compare.ts';
import { contrastsOf } from './contrasts.ts';
import { counterSummary, isCounted } from './counter-summary.ts';
import { boundOf, changeOf } from './measure.ts';
import { secondsPerTrial } from './plan-time.ts';
import { type Contrast, samplesOf } from './sample.ts';
import { exactRate } from './stats/exact-counts.ts';
import { mean, median, standardDeviation } from './stats/moments.ts';
import { chanceToFind, criticalT } from './stats/power.ts';
import { progressOf, stopsOnceDecided } from './stopping.ts';

/** Of the intervals of rates, whatever the level of the experiment. */
const RATE_LEVEL = 0.95;

/** One run of a calibration. */
export interface CalibrationRun {
  /** From 1. */
  readonly run: number;
  /** Of every contrast, in the order of the metrics: as the analysis of such a run by itself has them. */
  readonly comparisons: readonly Comparison[];
  /** All of its pairs, also those that a sequential run would not have come to. */
  readonly attempts: Attempts;
}

/** The runs of a calibration, one after the other. Throws where the journal is of none. */
export function calibrationRuns(journal: Journal): readonly CalibrationRun[] {
  const { experiment, plan } = journal.run;
  const { calibrates, design, decision } = experiment;
  if (calibrates === null) throw new RangeError('the journal is not of a calibration');
  const pairs = design.confirmation_pairs;
  const blocks = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
  const confirmed = progressOf(journal)
    .attempts()
    .filter(({ phase }) => phase === 'confirmation');
  const contrasts = contrastsIn(journal);
  const sequential = sequentialOf(experiment);
  return Array.from({ length: calibrates.runs }, (_, index) => {
    const own = blocks.slice(index * pairs, (index + 1) * pairs);
    const attempts = confirmed.filter(({ block }) => Math.floor((block - 1) / pairs) === index);
    const mayStop = sequential === null ? null : stopsOnceDecided(experiment, own, sequential);
    const seen = mayStop === null ? attempts : untilDecided(attempts, mayStop);
    const { comparisons } = compare(contrasts, seen, { blocks: own, builds: 1, sequential }, decision.level);
    return { run: index + 1, comparisons, attempts };
  });
}

/**
 * What complete and valid journals say.
 * @param known of the same experiment against an arm of known cost; null: that was not run
 * @param of the experiment as it was before it was made a calibration: its title, and what workload it has
 */
export function calibrationOf(
  same: Journal,
  known: Journal | null,
  of: Pick<Calibration, 'title' | 'workload_id'>,
): Calibration {
  const { run, end, trials } = same;
  const { experiment, machine } = run;
  const runs = calibrationRuns(same);
  const knownRuns = known === null ? [] : calibrationRuns(known);
  const knownContrasts = known === null ? [] : contrastsIn(known);
  const costOf = ({ metric }: Contrast, own: Omit<MetricCalibration, 'known'>) => {
    const at = knownContrasts.findIndex((each) => each.metric.name === metric.name);
    const contrast = knownContrasts[at];
    return known === null || contrast === undefined ? null : knownCost(known, contrast, at, knownRuns, own);
  };
  const first = trials.filter(({ phase, position }) => phase === 'confirmation' && position === 1);
  const pair_seconds = secondsPerTrial(first.map(({ account }) => account));
  if (pair_seconds === null || end === null || machine === null)
    throw new RangeError('a calibration that is complete has pairs and an end');
  return {
    assay: run.assay,
    unix_ms: end.unix_ms,
    machine_id: machine.machine_id,
    ...of,
    runs: runs.length,
    pairs: experiment.design.confirmation_pairs,
    sessions: experiment.design.slices !== null,
    sequential: experiment.design.sequential !== null,
    level: experiment.decision.level,
    pair_seconds,
    metrics: contrastsIn(same).map((contrast, at) => {
      const own = metricOf(contrast, at, runs);
      return { ...own, known: costOf(contrast, own) };
    }),
  };
}

function contrastsIn(journal: Journal): readonly Contrast[] {
  const { experiment } = journal.run;
  const counters = counterSummary(journal);
  return contrastsOf(
    experiment,
    experiment.metrics.filter((metric) => isCounted(metric, counters)),
  );
}

/** The attempts up to the first look that decides; all, where none does. */
function untilDecided(attempts: Attempts, mayStop: (complete: Attempts) => boolean): Attempts {
  const complete = attempts.filter(({ outcome }) => outcome === 'complete');
  let seen = 0;
  for (let index = 0; index < attempts.length; index++) {
    if (attempts.at(index)?.outcome !== 'complete') continue;
    seen += 1;
    if (mayStop(complete.first(seen))) return attempts.first(index + 1);
  }
  return attempts;
}

/** A run in which the effect of a metric could be computed. */
interface Judged {
  readonly change: number;
  /** At the level of the experiment; null where the effect is exact. */
  readonly interval: Interval | null;
  readonly direction: Direction | null;
}

function judgedRuns(runs: readonly CalibrationRun[], at: number): readonly Judged[] {
  return runs.flatMap(({ comparisons }) => {
    const comparison = comparisons[at];
    if (comparison === undefined || comparison.effect === null) return [];
    const { change, interval, plain_interval } = comparison.effect;
    return [{ change, interval: plain_interval ?? interval, direction: directionFound(comparison) }];
  });
}

/** What a verdict claims: also one that is equivalent and measurably either. */
function directionFound({ verdict }: Comparison): Direction | null {
  if (verdict.kind === 'equivalent') return verdict.measurably;
  return verdict.kind === 'slower' || verdict.kind === 'faster' ? verdict.kind : null;
}

function metricOf(contrast: Contrast, at: number, runs: readonly CalibrationRun[]): Omit<MetricCalibration, 'known'> {
  const { name, kind, unit, primary } = contrast.metric;
  const judged = judgedRuns(runs, at);
  const halves = judged.flatMap(({ interval }) => (interval === null ? [] : [(interval[1] - interval[0]) / 2]));
  return {
    ...{ metric: name, kind, unit, primary },
    ...pooledSpread(contrast, runs),
    excluded_zero: rateOf(judged, ({ change, interval }) => (interval === null ? change !== 0 : !holds(interval, 0))),
    false_verdicts: rateOf(judged, ({ direction }) => direction !== null),
    half_width: median(halves),
  };
}

/** Standard deviation of the effects of pairs around the means of their runs: √(Σ (nᵢ − 1) sᵢ² / Σ (nᵢ − 1)). */
function pooledSpread(contrast: Contrast, runs: readonly CalibrationRun[]): { sd: number | null; df: number } {
  let squares = 0;
  let df = 0;
  for (const { attempts } of runs) {
    for (const { pairs, reason } of samplesOf([contrast], keptAndRejected(attempts).complete)) {
      const sd = reason === null ? standardDeviation(pairs.effect) : null;
      if (sd === null) continue;
      squares += (pairs.length - 1) * sd ** 2;
      df += pairs.length - 1;
    }
  }
  return { sd: squares > 0 && Number.isFinite(squares) ? Math.sqrt(squares / df) : null, df };
}

/** @param same what the A/A runs say of the metric */
function knownCost(
  known: Journal,
  contrast: Contrast,
  at: number,
  runs: readonly CalibrationRun[],
  same: Omit<MetricCalibration, 'known'>,
): MetricCalibration['known'] {
  const { metric, arm } = contrast;
  const { experiment } = known.run;
  const judged = judgedRuns(runs, at);
  const effects = judged.map(({ change }) => (metric.kind === 'ratio' ? Math.log1p(change) : change));
  const middle = mean(effects);
  if (middle === null) return null;
  // A cost is that of what decides.
  const said = metric.kind === 'ratio' && metric.primary ? (experiment.calibrates?.cost ?? null) : null;
  const shift = said === null ? null : boundOf(contrast, said);
  const cost = shift === null ? null : changeOf(contrast, metric.better === 'lower' ? shift : -shift);
  return {
    arm,
    unix_ms: known.end?.unix_ms ?? null,
    cost,
    change: changeOf(contrast, middle),
    sd: pooledSpread(contrast, runs).sd,
    found: rateOf(judged, ({ direction }) => (cost === null ? direction !== null : direction === 'slower')),
    covered: cost === null ? null : rateOf(judged, ({ interval, change }) => holds(interval ?? [change, change], cost)),
    predicted: shift === null ? null : predictedPower(experiment, contrast, shift, same.sd),
  };
}

/** By the noncentral t, at the first step of Holm's procedure; null for a sequence, without spread, and for what the threshold hides. */
function predictedPower(experiment: Experiment, contrast: Contrast, shift: number, sd: number | null): number | null {
  const { design, decision, metrics } = experiment;
  const beyond = shift - boundOf(contrast, contrast.metric.threshold);
  if (sd === null || beyond <= 0 || design.sequential !== null) return null;
  const family = metrics.filter(({ primary }) => primary).length;
  return chanceToFind(criticalT((1 - decision.level) / family), beyond, sd, design.confirmation_pairs);
}

function holds([low, high]: Interval, change: number): boolean {
  return low <= change && change <= high;
}

function rateOf(runs: readonly Judged[], happened: (run: Judged) => boolean): Rate {
  const count = runs.filter(happened).length;
  return { count, of: runs.length, interval: exactRate(count, runs.length, RATE_LEVEL) };
}
