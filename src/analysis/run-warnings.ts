/** Warnings about the run as a whole: its plan, arms and rules. What it ran on and under: condition-warnings.ts. */
import type { Journal } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import { buildOfBlock, unbalancedBuilds } from '../plan/builds.ts';
import type { CounterSummary, RejectionSummary, Warning } from './analysis.ts';
import { conditionWarnings, type RunWarning } from './condition-warnings.ts';
import { FEWEST_PAIRS_TO_DIAGNOSE } from './diagnostics.ts';
import { operationWarnings } from './operations.ts';
import { counted, listed, moment, pairNoun, short } from './wording.ts';

const UNEQUAL_REJECTION_P = 0.05;
/** Fewer builds show layouts of one kind alone in more than one of sixteen runs, where there are two kinds. */
const FEWEST_BUILDS = 5;
const MOST_NAMED = 5;

/** `attempts` are those of the confirmation; `finished`: the plan was run to its end. */
export function runWarnings(
  journal: Journal,
  attempts: Attempts,
  rejections: RejectionSummary,
  counters: CounterSummary | null,
  finished: boolean,
): readonly Warning[] {
  const warnings = [
    ...(journal.run.imported?.warnings ?? []),
    earlierRuns(journal),
    ...sameSubjects(journal),
    ...armWarnings(journal),
    ...operationWarnings(journal),
    ...readerWarnings(journal),
    ...(finished ? pairCounts(journal, attempts) : []),
    builds(journal, finished ? attempts : null),
    fewBuilds(journal),
    ...conditionWarnings(journal, attempts),
    ...blindRules(journal),
    missingCounters(counters),
    unequalRejection(rejections),
  ];
  return warnings.filter((warning) => warning !== null).map((warning) => ({ ...warning, metric: null }));
}

function earlierRuns({ run }: Journal): RunWarning | null {
  if (run.earlier.length === 0) return null;
  const names = run.earlier.map(
    ({ name, started_unix_ms, finished }) => `${name} (${moment(started_unix_ms)}${finished ? '' : ', not finished'})`,
  );
  const count = `${counted(names.length, 'earlier run')} of the same experiment ${names.length === 1 ? 'stands' : 'stand'}`;
  return {
    code: 'earlier-runs',
    message: `${count} beside this one: ${listed(names, MOST_NAMED)}.`,
    remedy: 'Report all of them: who runs again until an answer pleases finds effects that are not there.',
  };
}

/** How arms were made, such as a library with assertions; said once where it holds for several. */
function armWarnings({ prepared }: Journal): readonly RunWarning[] {
  const warnings = (prepared?.arms ?? []).flatMap((arm) => arm.warnings);
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

/** Arms of which all that was recorded is the same: whatever differs between them, it is not the program. */
function sameSubjects({ run, prepared }: Journal): readonly RunWarning[] {
  if (run.experiment.calibrates?.against === 'same') return [];
  const compared = (prepared?.arms ?? []).filter(({ arm }) => run.experiment.design.arms.includes(arm));
  const subjects = compared.map(({ arm, command, files }) => {
    const env = run.experiment.arms.find(({ name }) => name === arm)?.env ?? {};
    return { arm, text: JSON.stringify([command, files, env]) };
  });
  const reference = subjects.find(({ arm }) => arm === run.experiment.reference);
  const same = subjects.filter(({ arm, text }) => arm !== reference?.arm && text === reference?.text);
  return same.map(({ arm }) => ({
    code: 'same-subject',
    message: `${arm} and ${reference?.arm} run the same files with the same arguments: this compares a program with itself.`,
    remedy: 'That is right for a control (A/A). To compare two versions, name both.',
  }));
}

/** What readers say of the output of other tools, each kind once. */
function readerWarnings({ run, trials }: Journal): readonly RunWarning[] {
  if (!run.experiment.metrics.some(({ from }) => from.kind === 'tool')) return [];
  const kinds = new Map<string, { first: RunWarning; messages: Set<string>; trials: number }>();
  for (const { reader_warnings } of trials) {
    const here = new Set<string>();
    for (const warning of reader_warnings) {
      const kind = kinds.get(warning.code) ?? { first: warning, messages: new Set(), trials: 0 };
      kind.messages.add(warning.message);
      kind.trials += here.has(warning.code) ? 0 : 1;
      here.add(warning.code);
      kinds.set(warning.code, kind);
    }
  }
  return [...kinds.values()].map(({ first: { code, message, remedy }, messages, trials: count }) => {
    const more = messages.size > 1 ? `, and ${counted(messages.size - 1, 'other message')} of this kind` : '';
    return { code, message: `${message} (In ${count} of ${counted(trials.length, 'trial')}${more}.)`, remedy };
  });
}

function pairCounts(journal: Journal, attempts: Attempts): readonly RunWarning[] {
  const planned = plannedBlocks(journal);
  const noun = pairNoun(journal.run.experiment.design);
  const complete = attempts.filter(({ outcome }) => outcome === 'complete').length;
  const few: RunWarning = {
    code: 'few-pairs',
    message: `${counted(complete, noun)} cannot tell an order effect, a trend or correlation from chance.`,
    remedy:
      journal.run.imported === null
        ? `Run at least ${FEWEST_PAIRS_TO_DIAGNOSE} ${noun}s; the default is 16.`
        : `Measure each side at least ${FEWEST_PAIRS_TO_DIAGNOSE} times.`,
  };
  const missing: RunWarning = {
    code: 'missing-pairs',
    message: `${planned - complete} of ${counted(planned, `planned ${noun}`)} are missing: rejected with every repeat, or failed.`,
    remedy: 'Run on a quieter machine; if the rules suit no machine, choose others before the next run.',
  };
  return [
    ...(planned > 0 && complete < FEWEST_PAIRS_TO_DIAGNOSE ? [few] : []),
    ...(complete < planned && journal.run.plan.sequential === null ? [missing] : []),
  ];
}

/** Each build has the same weight in the change, however many pairs it has and in whichever order they ran. */
function builds({ run }: Journal, attempts: Attempts | null): RunWarning | null {
  const { design } = run.experiment;
  const planned = unbalancedBuilds(run.experiment);
  const counts = Array.from({ length: design.builds }, () => 0);
  for (const { block, outcome } of attempts ?? []) {
    const build = buildOfBlock(block, design.builds);
    if (outcome === 'complete') counts[build] = (counts[build] ?? 0) + 1;
  }
  const unequal = Math.min(...counts) !== Math.max(...counts);
  if (planned === null && !unequal) return null;
  const blocks = design.arms.length === 2 ? 'pairs' : 'blocks';
  const told = `The builds have ${listed(counts.map(String), counts.length)} complete ${blocks}, and each has the same weight in the change.`;
  return {
    code: 'unbalanced-builds',
    message: [...(planned === null ? [] : [planned.message]), ...(unequal ? [told] : [])].join(' '),
    remedy:
      planned?.remedy ??
      `Run on a quieter machine, or with more repeats of rejected ${blocks}: the change of a build of few ${blocks} is known less well than that of the others.`,
  };
}

function fewBuilds({ run }: Journal): RunWarning | null {
  const { builds } = run.experiment.design;
  if (builds === 1 || builds >= FEWEST_BUILDS || plannedBlocks({ run }) === 0) return null;
  return {
    code: 'few-builds',
    message: `${counted(builds, 'build')} of each arm say little of how layouts spread: where there are fast and slow ones, so few builds often show one kind alone, and the interval is too narrow.`,
    remedy: `Take at least ${FEWEST_BUILDS} builds.`,
  };
}

function plannedBlocks({ run }: Pick<Journal, 'run'>): number {
  return run.plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
}

/** Where no trial has counters, the reports say so in the place of their metrics. */
function missingCounters(counters: CounterSummary | null): RunWarning | null {
  if (counters === null || counters.counted === 0 || counters.counted === counters.trials) return null;
  const missing = `${counters.trials - counters.counted} of ${counted(counters.trials, 'trial')}`;
  return {
    code: 'missing-counters',
    message: `${missing} have no ${counters.kind} counters: ${counters.reason ?? 'no reason was given'}.`,
    remedy: 'See why they could not be counted; pairs of such trials are in no count.',
  };
}

function blindRules({ run, trials }: Journal): readonly RunWarning[] {
  const facts = new Set(run.experiment.reject.rules.map(({ fact }) => fact));
  if (facts.size === 0) return [];
  const confirmation = trials.filter(({ phase }) => phase === 'confirmation');
  return [...facts].flatMap((fact) => {
    // Where nothing was counted, this is said of the counters.
    if (fact === 'counter_share') return [];
    const blind = confirmation.filter(({ noise }) => noise[fact] === null).length;
    if (blind === 0) return [];
    return [
      {
        code: 'rule-without-fact',
        message: `The rule on ${fact} could not be applied to ${blind} of ${counted(confirmation.length, 'trial')}: the machine did not report it.`,
        remedy: 'Choose a fact that this machine reports, or run on one that reports it.',
      },
    ];
  });
}

function unequalRejection({ by_arm, p_value }: RejectionSummary): RunWarning | null {
  if (p_value === null || p_value > UNEQUAL_REJECTION_P) return null;
  const counts = Object.entries(by_arm).map(([arm, count]) => `${count} of ${arm}`);
  return {
    code: 'unequal-rejection',
    message: `The rules rejected trials unequally: ${counts.join(', ')} (p = ${short(p_value)}).`,
    remedy: 'An arm that disturbs the machine rejects itself; see whether the rules react to the arms.',
  };
}
