/** The whole analysis of a run: a pure function of its journal. */
import type { EndReason, Journal } from '../journal/records.ts';
import { type Attempt, type Progress, progressOf } from '../plan/progress.ts';
import type { Analysis, Comparison, CounterSummary, Verdict, Warning } from './analysis.ts';
import { counterSummary, isCounted } from './counter-summary.ts';
import { countingOf } from './counting.ts';
import { diagnose } from './diagnostics.ts';
import { effectOf } from './effect.ts';
import { measureOf } from './measure.ts';
import { equalityOf, problemsOf } from './problems.ts';
import { rejectionSummary } from './rejections.ts';
import { runWarnings } from './run-warnings.ts';
import { type Contrast, type Sample, sampleOf } from './sample.ts';
import { screeningSummary } from './screening.ts';
import { trialRows } from './trial-status.ts';
import { type Candidate, type Judgement, judge } from './verdict.ts';
import { counted } from './wording.ts';

/** After these the plan may have been run to its end. */
const LAST_WORDS: readonly EndReason['kind'][] = ['complete', 'trial_failed', 'changed'];

/**
 * Effects, verdicts, warnings and the status of every trial. A run that has not been run to its end shows no effect at
 * all: an interval for a fixed number of pairs says nothing before that number. An invalid run shows its effects, and
 * no verdict. Linear in the number of trials, but for sorting.
 */
export function analyse(journal: Journal): Analysis {
  const { experiment, plan, started_unix_ms } = journal.run;
  const { rules } = experiment.reject;
  const progress = progressOf(journal);
  const { arms } = experiment.design;
  const planned = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
  const confirmation = progress.attempts().filter(({ phase }) => phase === 'confirmation');
  const screening = progress.attempts().filter(({ phase }) => phase === 'screening');
  const rejections = rejectionSummary(confirmation, rules, arms, planned.length);
  const problems = problemsOf(journal, progress, rejections);
  const finished = isFinished(journal, progress);
  const timed = journal.trials.filter(({ phase }) => phase !== 'counting');
  const counters = counterSummary(journal);
  const contrasts = contrastsOf(journal, counters);
  const compared =
    finished && planned.length > 0
      ? compare(contrasts, confirmation, planned, experiment.decision.level)
      : { comparisons: contrasts.map((contrast) => without(contrast, planned.length)), warnings: [] };
  const counting = countingOf(
    journal,
    progress.attempts().filter(({ phase }) => phase === 'counting'),
  );
  return {
    title: experiment.title,
    question: experiment.question,
    constructed: experiment.constructed,
    state: problems.length > 0 ? 'invalid' : finished ? 'complete' : 'incomplete',
    problems,
    arms,
    reference: experiment.reference,
    seed: plan.seed,
    level: experiment.decision.level,
    pairs: { planned: planned.length, complete: confirmation.filter(({ outcome }) => outcome === 'complete').length },
    started_unix_ms,
    trial_seconds: timed.reduce((sum, { account }) => sum + account.wall_ns, 0) / 1e9,
    checks: checksOf(journal),
    comparisons: compared.comparisons.map((comparison) => invalidated(comparison, problems)),
    screening: screeningSummary(contrasts, screening),
    controls: [],
    sides: [],
    layout_floor: {},
    counting: problems.length > 0 ? null : counting.summary,
    warnings: [
      ...runWarnings(journal, confirmation, rejections, counters, finished),
      ...compared.warnings,
      ...counting.warnings,
    ],
    counters,
    rejections,
    trials: trialRows(journal.trials, progress.attempts(), rules),
  };
}

function isFinished({ end }: Journal, progress: Progress): boolean {
  return end !== null && LAST_WORDS.includes(end.reason.kind) && progress.next().kind === 'done';
}

/** Every arm against the reference, metric by metric. */
function contrastsOf({ run }: Journal, counters: CounterSummary | null): readonly Contrast[] {
  const { design, reference } = run.experiment;
  const metrics = run.experiment.metrics.filter((metric) => isCounted(metric, counters));
  return metrics.flatMap((metric) =>
    design.arms.filter((arm) => arm !== reference).map((arm) => ({ metric, arm, reference })),
  );
}

interface Paired extends Candidate {
  readonly sample: Sample;
}

type Blocks = readonly (readonly string[])[];

function compare(
  contrasts: readonly Contrast[],
  attempts: readonly Attempt[],
  blocks: Blocks,
  level: number,
): { readonly comparisons: readonly Comparison[]; readonly warnings: readonly Warning[] } {
  const rejected = attempts.filter(({ outcome }) => outcome === 'rejected');
  const candidates = candidatesOf(
    contrasts,
    attempts.filter(({ outcome }) => outcome === 'complete'),
    blocks,
  );
  const judgements = judge(candidates, level);
  // Rules that decide what counts must not decide the verdict: it has to be the same with the rejected pairs kept.
  const kept = attempts.filter(({ outcome }) => outcome === 'complete' || outcome === 'rejected');
  const keptJudgements = rejected.length === 0 ? judgements : judge(candidatesOf(contrasts, kept, blocks), level);
  const warnings: Warning[] = [];
  const comparisons = candidates.map(({ contrast, sample, measured }, index): Comparison => {
    const judgement = judgements[index];
    if (judgement === undefined) throw new RangeError('every comparison is judged');
    const { measure } = measured;
    const effect = measure === null ? null : effectOf(measure, judgement, level);
    warnings.push(...diagnose(sample, measured, effect, level, hasSeveralArms(contrasts)));
    const verdict = robust(judgement, keptJudgements[index] ?? judgement, rejected.length);
    // What the spread could have shown is beside the point where the rejections decide.
    const undecided = verdict.kind === 'inconclusive' && judgement.verdict.kind !== 'inconclusive';
    return {
      ...without(contrast, blocks.length),
      pairs: effect === null ? 0 : sample.pairs.length,
      effect: effect !== null && undecided ? { ...effect, detectable: null } : effect,
      verdict,
      values: effect === null ? [] : sample.pairs,
    };
  });
  return { comparisons, warnings };
}

function candidatesOf(contrasts: readonly Contrast[], attempts: readonly Attempt[], blocks: Blocks): Paired[] {
  return contrasts.map((contrast) => {
    const sample = sampleOf(contrast, attempts);
    return { contrast, sample, measured: measureOf(sample, blocks) };
  });
}

function hasSeveralArms(contrasts: readonly Contrast[]): boolean {
  return contrasts.some(({ arm }) => arm !== contrasts[0]?.arm);
}

function robust(judgement: Judgement, kept: Judgement, rejected: number): Verdict {
  const { verdict } = judgement;
  if (verdict.kind === 'none' || isSame(verdict, kept.verdict)) return verdict;
  const pairs = rejected === 1 ? 'the rejected pair is' : `the ${counted(rejected, 'rejected pair')} are`;
  return { kind: 'inconclusive', reason: `the verdict would be another if ${pairs} kept` };
}

function isSame(a: Verdict, b: Verdict): boolean {
  if (a.kind === 'equivalent' && b.kind === 'equivalent') return a.measurably === b.measurably;
  return a.kind === b.kind;
}

/** A comparison of which nothing is shown. */
function without({ metric, arm, reference }: Contrast, plannedPairs: number): Comparison {
  const { name, unit, kind, better, primary, threshold, margin } = metric;
  return {
    ...{ metric: name, unit, kind, better, primary, threshold, margin, arm, reference },
    pairs: 0,
    planned_pairs: plannedPairs,
    effect: null,
    verdict: {
      kind: 'none',
      reason: plannedPairs === 0 ? 'no confirmation was planned' : 'the plan has not been run to its end',
    },
    values: [],
  };
}

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
