/** The whole analysis of a run: a pure function of its journal. */
import type { EndReason, Journal } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { Progress } from '../plan/progress.ts';
import type { Analysis, Comparison, RejectionSummary, SideComparison, SideSummary, Warning } from './analysis.ts';
import { excludesZeroTooOften } from './calibration-warnings.ts';
import { compare, without } from './compare.ts';
import { contrastsOf } from './contrasts.ts';
import { controlsOf } from './controls.ts';
import { counterSummary, isCounted } from './counter-summary.ts';
import { countingOf } from './counting.ts';
import { judgedImport } from './imported.ts';
import { type Floors, floorsBeside, layoutOf } from './layout.ts';
import { equalityOf, problemsOf, tooManyRejected } from './problems.ts';
import { rejectionSummary } from './rejections.ts';
import { runWarnings } from './run-warnings.ts';
import { screeningSummary } from './screening.ts';
import { type SideData, sideData } from './side-data.ts';
import { sideSummary } from './sides.ts';
import { isDecided, progressOf } from './stopping.ts';
import { trialRows } from './trial-status.ts';
import { counted, type PairNoun, pairNoun } from './wording.ts';

/** After these the plan may have been run to its end. */
const LAST_WORDS: readonly EndReason['kind'][] = ['complete', 'trial_failed', 'changed'];

/**
 * Effects, verdicts, warnings and the status of every trial. A run that has not been run to its end shows no effect at
 * all: an interval for a fixed number of pairs says nothing before that number. An invalid run shows its effects, and
 * no verdict. Linear in the number of trials, but for sorting. The status of the trials is made when somebody asks for it.
 */
export function analyse(journal: Journal): Analysis {
  const { experiment, plan, started_unix_ms } = journal.run;
  const { rules } = experiment.reject;
  const { level } = experiment.decision;
  const progress = progressOf(journal);
  const { arms, builds } = experiment.design;
  const noun = pairNoun(experiment.design);
  const attempts = progress.attempts();
  const blocks = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
  const confirmation = attemptsOf(attempts, 'confirmation');
  const rejections = rejectionSummary(confirmation, rules, arms, blocks.length);
  const finished = isFinished(journal, progress);
  const counters = counterSummary(journal);
  const contrasts = contrastsOf(
    experiment,
    experiment.metrics.filter((metric) => isCounted(metric, counters)),
  );
  const design = { blocks, builds, sequential: plan.sequential };
  const compared =
    finished && blocks.length > 0
      ? compare(contrasts, confirmation, design, level)
      : { comparisons: contrasts.map((contrast) => without(contrast, blocks.length)), warnings: [] };
  const beside = sideData(journal, attempts, counters);
  const rejectedBeside = beside.flatMap((data) => rejectedOf(data, journal));
  const controls = controlsOf(
    journal,
    beside.filter(({ side }) => side.control !== null),
    { contrasts, attempts: confirmation, design, comparisons: compared.comparisons },
    finished,
  );
  const problems = [
    ...problemsOf(journal, progress, rejections),
    ...rejectedBeside.flatMap((summary) => {
      const decides = beside.some(({ side }) => side.name === summary.phase && side.control !== null);
      return decides ? tooManyRejected(summary, `planned ${noun}s of the control ${summary.phase}`) : [];
    }),
    ...controls.problems,
  ];
  const sides = beside
    .filter(({ side }) => side.control === null)
    .map((data) => sideSummary(journal, data, finished && data.blocks.length > 0, compared.comparisons));
  let rows: Analysis['trials'] | null = null;
  const counting = countingOf(journal, attemptsOf(attempts, 'counting'));
  return {
    title: experiment.title,
    question: experiment.question,
    constructed: experiment.constructed,
    state: problems.length > 0 ? 'invalid' : finished ? 'complete' : 'incomplete',
    problems,
    arms,
    reference: experiment.reference,
    seed: plan.seed,
    level,
    builds,
    pairs: {
      planned: blocks.length,
      complete: confirmation.filter(({ outcome }) => outcome === 'complete').length,
      decided: isDecided(journal.run, confirmation),
    },
    started_unix_ms,
    trial_seconds: secondsOf(journal.trials, noun),
    checks: checksOf(journal),
    comparisons: compared.comparisons.map((comparison) => ({
      ...invalidated(judgedImport(comparison, journal.run.imported), problems),
      layout: problems.length > 0 || builds > 1 ? null : layoutOf(comparison, controls.layout_floor),
    })),
    screening: screeningSummary(contrasts, attemptsOf(attempts, 'screening')),
    controls: controls.results,
    sides: sides.map(({ summary }) => {
      const rejected = rejectedBeside.find(({ phase }) => phase === summary.name);
      const own = rejected === undefined ? [] : tooManyRejected(rejected, 'planned blocks');
      return judgedSide(summary, problems.length > 0 ? problems : own, controls.layout_floor);
    }),
    layout_floor: controls.layout_floor,
    counting: problems.length > 0 ? null : counting.summary,
    warnings: [
      ...runWarnings(journal, confirmation, rejections, counters, finished),
      ...compared.warnings,
      ...controls.warnings,
      ...sides.flatMap(({ warnings }) => warnings),
      ...beside.flatMap((data) => (finished ? missingBlocks(data, noun) : [])),
      ...counting.warnings,
      ...citedWarnings(journal),
    ],
    counters,
    rejections,
    rejections_beside: rejectedBeside,
    get trials() {
      rows ??= trialRows(journal.trials, attempts, rules);
      return rows;
    },
  };
}

/** Of the calibration that the run cites, for the metrics that decide here. */
function citedWarnings({ run }: Journal): readonly Warning[] {
  const deciding = run.experiment.metrics.filter(({ primary }) => primary).map(({ name }) => name);
  if (run.calibration === null) return [];
  const warnings = excludesZeroTooOften(run.calibration, deciding);
  if (run.calibration.sequential === (run.plan.sequential !== null)) return warnings;
  const other = 'Those runs were judged by another rule than this one: its own rate may differ.';
  return warnings.map((warning) => ({ ...warning, message: `${warning.message} ${other}` }));
}

function attemptsOf(attempts: Attempts, wanted: string): Attempts {
  return attempts.filter(({ phase }) => phase === wanted);
}

/** Of those that are timed. Both processes of a session live at the same time. */
function secondsOf(trials: Journal['trials'], noun: PairNoun): number | null {
  let sum = 0;
  for (const { phase, position, account } of trials) {
    if (account === null) return null;
    if (phase !== 'counting' && (noun === 'pair' || position === 1)) sum += account.wall_ns;
  }
  return sum / 1e9;
}

/** Nothing where no trial of the side was rejected. */
function rejectedOf(
  { side, attempts, blocks }: SideData,
  { run }: Journal,
): readonly (RejectionSummary & { readonly phase: string })[] {
  const summary = rejectionSummary(attempts, run.experiment.reject.rules, side.arms, blocks.length);
  return summary.total === 0 ? [] : [{ phase: side.name, ...summary }];
}

function missingBlocks({ side, attempts, blocks }: SideData, pair: PairNoun): readonly Warning[] {
  const complete = attempts.filter(({ outcome }) => outcome === 'complete').length;
  if (complete >= blocks.length) return [];
  const noun = `planned ${side.arms.length === 2 ? pair : 'block'}`;
  return [
    {
      code: 'missing-pairs',
      metric: null,
      message: `In ${side.name}: ${blocks.length - complete} of ${counted(blocks.length, noun)} are missing: rejected with every repeat, or failed.`,
      remedy: 'Run on a quieter machine; if the rules suit no machine, choose others before the next run.',
    },
  ];
}

function isFinished({ end }: Journal, progress: Progress): boolean {
  return end !== null && LAST_WORDS.includes(end.reason.kind) && progress.next().kind === 'done';
}

/** With what rebuilds move; where something is wrong with the run or with it, without all that is claimed of it. */
function judgedSide(summary: SideSummary, problems: readonly string[], floors: Floors): SideSummary {
  const { comparisons } = summary;
  if (problems.length > 0) {
    const invalid = comparisons.map((one) => ({ ...one, ...invalidated(one, problems), contribution: null }));
    return { ...summary, comparisons: invalid, remainders: [] };
  }
  const beside = floorsBeside(comparisons, floors);
  return { ...summary, comparisons: comparisons.map((one) => ({ ...one, layout: layoutFor(one, beside) })) };
}

/** A rebuild shows what a layout moves, and is not measured by itself. */
function layoutFor(comparison: SideComparison, floors: Floors): SideComparison['layout'] {
  return comparison.role === 'rebuild' ? null : layoutOf(comparison, floors);
}

/** The verdict alone: figures stay. */
function invalidated(comparison: Comparison, problems: readonly string[]): Comparison {
  const [first, ...rest] = problems;
  if (first === undefined) return comparison;
  const more = rest.length === 0 ? '' : ` (and ${counted(rest.length, 'more problem')})`;
  return { ...comparison, verdict: { kind: 'invalid', reason: `${first}${more}` } };
}

function checksOf(journal: Journal): Analysis['checks'] {
  const names = new Set<string>();
  let made = 0;
  let failed = equalityOf(journal).different;
  for (const { checks } of journal.trials) {
    made += checks.length;
    for (const { name, ok } of checks) {
      names.add(name);
      failed += ok ? 0 : 1;
    }
  }
  return { trials: journal.trials.length, made, failed, names: [...names] };
}
