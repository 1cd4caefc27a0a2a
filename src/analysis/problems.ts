/** What makes a run invalid. Each problem is a clause without a full stop. */
import type { Journal, RunRecord, TrialRecord } from '../journal/records.ts';
import { isOtherWork } from '../plan/phase-setting.ts';
import type { Progress } from '../plan/progress.ts';
import type { RejectionSummary } from './analysis.ts';
import { failureText } from './trial-status.ts';
import { counted, type PairNoun, pairNoun, percent, quantity, shortened } from './wording.ts';

/** Of the planned pairs, rejected at least once. */
const MOST_REJECTED = 0.2;
const MOST_FAILURES_NAMED = 5;

/** Failures, differing values of a check of equality, changed files, too many rejections, a journal off its plan. */
export function problemsOf(journal: Journal, progress: Progress, rejections: RejectionSummary): readonly string[] {
  return [
    ...failureProblems(journal),
    ...equalityOf(journal).problems,
    ...changeProblems(journal),
    ...tooManyRejected(rejections, `planned ${pairNoun(journal.run.experiment.design)}s`),
    ...strayProblems(progress.strays(), pairNoun(journal.run.experiment.design)),
  ];
}

/** Where a trial stood: `after in pair 3`, `before in warm-up session 1`. */
function placeOf({ phase, block, arm, attempt }: TrialRecord, noun: PairNoun): string {
  const kind =
    phase === 'warmup'
      ? `warm-up ${noun}`
      : phase === 'confirmation'
        ? noun
        : phase === 'counting'
          ? 'count'
          : `${phase} ${noun}`;
  return `${arm} in ${kind} ${block}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

function failureProblems({ run, trials }: Journal): readonly string[] {
  const noun = pairNoun(run.experiment.design);
  const failed = trials.filter((trial) => trial.failure !== null);
  const named = failed
    .slice(0, MOST_FAILURES_NAMED)
    .map(
      (trial) =>
        `${placeOf(trial, noun)} failed: ${trial.failure === null ? '' : failureText(trial.failure)}${limitOf(trial, run)}${outputOf(trial)}`,
    );
  const rest = failed.length - named.length;
  return rest > 0 ? [...named, `${counted(rest, 'more trial')} failed`] : named;
}

/** The kernel kills what needs more memory than a trial may use, and says so nowhere in the trial. */
function limitOf({ failure }: TrialRecord, { experiment }: RunRecord): string {
  const { memory_limit_bytes: limit } = experiment.workload;
  if (limit === null || failure?.kind !== 'signal' || failure.signal !== 'SIGKILL') return '';
  return ` (what needs more than its memory limit of ${quantity(limit, 'bytes')} is killed so)`;
}

/** What the trial said at its end, and the folder of its raw output within the run's directory. */
function outputOf({ raw, last_words }: TrialRecord): string {
  const [first] = raw;
  const said = last_words === null ? [] : [`it ended with: ${last_words}`];
  const folder = first === undefined ? [] : [`its output: ${first.path.slice(0, first.path.lastIndexOf('/'))}`];
  return [...said, ...folder].map((part) => ` (${part})`).join('');
}

/**
 * Compares the values of each check of equality over all trials of all arms, warm-up and repeats with them; those that are
 * counted, and those of a control that does other work, among themselves. `different` counts the trials that differ from
 * the first.
 */
export function equalityOf(journal: Journal): { readonly problems: readonly string[]; readonly different: number } {
  const { checks, sides, design } = journal.run.experiment;
  const equal = checks.filter((check) => check.kind === 'equal');
  if (equal.length === 0) return { problems: [], different: 0 };
  const noun = pairNoun(design);
  const apart = new Map([
    ['counting', 'the same value in all trials that are counted'],
    ...sides.filter(isOtherWork).map(({ name }) => [name, `the same value in all trials of ${name}`] as const),
  ]);
  const alike = journal.trials.filter(({ phase }) => !apart.has(phase));
  const groups = [
    { trials: alike, wanted: 'the same value in all trials' },
    ...[...apart].map(([name, wanted]) => ({ trials: journal.trials.filter(({ phase }) => phase === name), wanted })),
  ];
  const found = equal.flatMap(({ name }) => groups.map(({ trials, wanted }) => equality(name, trials, wanted, noun)));
  return {
    problems: found.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    different: found.reduce((sum, { different }) => sum + different, 0),
  };
}

function equality(check: string, trials: readonly TrialRecord[], wanted: string, noun: PairNoun) {
  let first: { trial: TrialRecord; value: string } | null = null;
  let other: { trial: TrialRecord; value: string } | null = null;
  let different = 0;
  for (const trial of trials) {
    const made = trial.checks.find(({ name, ok }) => ok && name === `equal: ${check}`);
    if (made === undefined) continue;
    first ??= { trial, value: made.detail };
    if (made.detail !== first.value) {
      other ??= { trial, value: made.detail };
      different += 1;
    }
  }
  if (first === null || other === null) return { problem: null, different };
  const [a, b] = [first, other].map(({ trial, value }) => `${shortened(value)} (${placeOf(trial, noun)})`);
  return { problem: `the check ${check} wants ${wanted}, and found ${a} and ${b}`, different };
}

function changeProblems({ end }: Journal): readonly string[] {
  return end?.reason.kind === 'changed'
    ? [`${end.reason.path}, which ${end.reason.arm} runs, changed while the run went on`]
    : [];
}

/** `what`: `planned pairs`, or those of a control. */
export function tooManyRejected({ pair_share }: RejectionSummary, what: string): readonly string[] {
  if (pair_share <= MOST_REJECTED) return [];
  const limit = `more than ${percent(MOST_REJECTED)} make a run invalid`;
  return [`${percent(pair_share)} of the ${what} were rejected at least once, and ${limit}`];
}

function strayProblems(strays: readonly TrialRecord[], noun: PairNoun): readonly string[] {
  const [first] = strays;
  if (first === undefined) return [];
  return [
    `the journal holds ${counted(strays.length, 'trial')} that the plan did not call for: first ${placeOf(first, noun)}`,
  ];
}
