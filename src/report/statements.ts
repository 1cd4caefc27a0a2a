/** What stands in every report whatever the result: what was done, what was left out, and what the numbers cover. */
import { quoteCommand } from '../experiment/command-line.ts';
import type { RejectionFact, RejectRule } from '../experiment/experiment.ts';
import { toolOf } from '../formats/tools.ts';
import type { InterruptedRecord, Journal } from '../journal/records.ts';
import { calibrationSentences } from './calibrated.ts';
import { claimsOf } from './claims.ts';
import { countedSentence } from './counters.ts';
import { importedArms, importedPairs, importedScope } from './imported.ts';
import type { ReportInput } from './input.ts';
import { counted, formatLevel, formatNumber, formatP, formatShare, formatTime } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { blockNoun } from './row.ts';
import { say } from './rules.ts';
import { endedEarly } from './sequence.ts';
import { pinnedText } from './setting.ts';
import { formatQuantity } from './units.ts';
import { armsSentence } from './workload.ts';

export interface Statement {
  readonly label: string;
  readonly sentence: string;
}

const NUMBER_WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

function list(items: readonly string[]): string {
  return items.join(', ');
}

/** What is said of the run as a whole before any finding; empty for a complete and valid run. */
export function stateSentences(input: ReportInput, escaping: Escaping): readonly string[] {
  const { analysis } = input;
  if (analysis.state === 'complete') return [];
  if (analysis.state === 'invalid') {
    const reasons = analysis.problems.map((problem) => escaping.prose(problem).replace(/\.$/, ''));
    return [say('state.invalid', { reason: `${reasons.join('; ')}.` })];
  }
  const { complete, planned } = analysis.pairs;
  const words = { complete: String(complete), planned: String(planned), blocks: `${blockNoun(input)}s` };
  const end = input.journal.end?.reason;
  // Counts come last: they alone may be missing.
  const last = planned > 0 && complete >= planned;
  const counting = last && input.journal.run.experiment.counting !== null;
  const sentence =
    last && isBesideMissing(input)
      ? say('state.beside', words)
      : counting
        ? say('state.counting', words)
        : say('state.incomplete', words);
  return [
    sentence,
    ...(end?.kind === 'disk_space' ? [say('state.disk', { reason: escaping.prose(end.message) })] : []),
    ...analysis.problems.map((problem) => escaping.prose(problem)),
  ];
}

/** Whether some block of a control or side comparison has no trial yet. */
function isBesideMissing({ journal }: ReportInput): boolean {
  const { experiment, plan } = journal.run;
  return experiment.sides.some(({ name }) => {
    const planned = plan.phases.find(({ phase }) => phase === name)?.blocks.length ?? 0;
    const started = new Set(journal.trials.filter(({ phase }) => phase === name).map(({ block }) => block));
    return started.size < planned;
  });
}

/** How to finish an incomplete run: words, and the command after them; null where there is nothing to finish. */
export function goOnOf(input: ReportInput): { readonly words: string; readonly command: string } | null {
  const { directory, analysis, journal } = input;
  if (directory === null || analysis.state !== 'incomplete') return null;
  const isSame = journal.run.experiment.calibrates?.against === 'same';
  return {
    words: say(isSame ? 'state.go-on-calibration' : 'state.go-on', {}),
    command: quoteCommand(goOnWords(journal, directory)),
  };
}

/** The command that goes on with a run, be it a part of a calibration. Of the experiment file the name alone is on record. */
export function goOnWords({ run }: Journal, directory: string): readonly string[] {
  const { calibrates, arms, reference } = run.experiment;
  if (calibrates === null) return ['assay', 'run', '--resume', directory];
  const { runs, against, cost } = calibrates;
  const words = ['assay', 'calibrate', run.source.name, '--runs', String(runs)];
  if (against === 'same') return [...words, '--out', directory];
  const arm = arms.find(({ name }) => name !== reference)?.name ?? '';
  const said = cost === null ? [] : [`${Number((cost * 100).toPrecision(15))}%`];
  // It lies in the directory of the calibration, as `known`.
  const parent = /^(.+)\/known\/?$/.exec(directory)?.[1] ?? `${directory}/..`;
  return [...words, '--known', ...said, '--arm', arm, '--out', parent];
}

/** The command that shows the report again. */
export function againCommand(input: ReportInput): string | null {
  return input.directory === null ? null : quoteCommand(['assay', 'report', input.directory]);
}

/** How the pairs were made and in which order. */
export function pairsSentence(input: ReportInput): string {
  const { pairs, seed, arms } = input.analysis;
  const { imported } = input.journal.run;
  if (imported !== null) return importedPairs(input, imported);
  const words = { complete: String(pairs.complete), planned: String(pairs.planned), seed: String(seed) };
  const { sequential } = input.journal.run.plan;
  const { slices } = input.journal.run.experiment.design;
  const early = endedEarly(input);
  if (slices !== null) {
    const slice = formatQuantity(slices.slice_ns, 'ns');
    if (sequential === null) return say('basis.sessions', { ...words, slice });
    const ended = early
      ? 'and ended because every primary metric was decided'
      : 'and no look decided every primary metric before the last';
    return say('basis.sessions-sequential', { ...words, slice, min: String(sequential.min), ended });
  }
  if (sequential !== null) {
    return say(early ? 'basis.pairs-sequential' : 'basis.pairs-sequential-last', {
      ...words,
      min: String(sequential.min),
    });
  }
  if (arms.length === 2) return say('basis.pairs', words);
  const orders = say(`orders.${input.journal.run.experiment.design.order}`, {});
  return say('basis.blocks', { ...words, orders, arms: numberWord(arms.length) });
}

export function checksSentence(input: ReportInput, escaping: Escaping): string {
  const { made, failed, trials, names } = input.analysis.checks;
  const inTrials = counted(trials, 'trial');
  if (made === 0) return say('basis.checks-none', { trials: inTrials });
  const words = { made: counted(made, 'check'), trials: inTrials, names: list(names.map(escaping.name)) };
  return failed === 0
    ? say('basis.checks-passed', words)
    : say('basis.checks-failed', { ...words, failed: String(failed) });
}

/** What is inside of the times: what the drivers say, else what Assay knows. */
export function timedSentences({ journal }: ReportInput, told: readonly string[]): readonly string[] {
  const { experiment, imported } = journal.run;
  const sliced = experiment.design.slices !== null;
  if (imported !== null) return [say('imported.timed', { tool: toolOf(imported.tool).title })];
  if (told.length > 0) return told;
  return [say(sliced ? 'basis.timed-slices' : 'basis.timed-process', {})];
}

/** What the intervals cover and what they do not; empty where there is none to believe. */
export function limitSentences(input: ReportInput): readonly string[] {
  const { analysis } = input;
  const hasInterval = analysis.comparisons.some(({ effect }) => effect !== null && effect.interval !== null);
  if (analysis.state !== 'complete' || !hasInterval) return [];
  const { imported } = input.journal.run;
  if (imported !== null) return [importedScope(input, imported)];
  const words = { level: formatLevel(analysis.level), blocks: `${blockNoun(input)}s` };
  const scope =
    analysis.builds > 1
      ? say('basis.scope-builds', { ...words, builds: String(analysis.builds) })
      : say('basis.scope', { ...words, ...artefactsOf(input) });
  const { arms } = input.journal.run.experiment;
  const revisions = arms.some(({ name, source }) => analysis.arms.includes(name) && source.kind === 'git');
  return [
    scope,
    ...(revisions ? [say('basis.revisions', {})] : []),
    ...(analysis.constructed ? [say('basis.constructed', {})] : []),
  ];
}

/** What the intervals are; null where there is none of a ratio. */
export function intervalSentence(input: ReportInput): string | null {
  const { analysis, journal } = input;
  const has = analysis.comparisons.some(
    ({ effect, kind }) => kind === 'ratio' && effect !== null && effect.interval !== null,
  );
  if (!has) return null;
  const { sequential } = journal.run.plan;
  if (sequential !== null) {
    const words = { level: formatLevel(analysis.level), c2: String(sequential.c2), blocks: `${blockNoun(input)}s` };
    return say('basis.interval-sequential', words);
  }
  return say(analysis.builds > 1 ? 'basis.interval-builds' : 'basis.interval', { level: formatLevel(analysis.level) });
}

/** What was compared: `two binaries`, where Assay or the arms' own commands built them. */
export function artefactsOf({ analysis, journal }: ReportInput): {
  readonly count: string;
  readonly artefacts: string;
} {
  const { arms, workload } = journal.run.experiment;
  const built = arms.some(({ name, source }) => analysis.arms.includes(name) && source.kind === 'git');
  return {
    count: numberWord(analysis.arms.length),
    artefacts: built || workload.driver !== null ? 'binaries' : 'artefacts',
  };
}

/** `two`, `12`. */
export function numberWord(count: number): string {
  return NUMBER_WORDS[count] ?? String(count);
}

/** Whether there is anything to judge at all: a run that failed or stopped early shows no effect. */
export function hasEffect(input: ReportInput): boolean {
  return input.analysis.comparisons.some((comparison) => comparison.effect !== null);
}

export function screeningSentence(input: ReportInput): string | null {
  const pairs = Math.max(0, ...input.analysis.screening.map((summary) => summary.pairs));
  return pairs === 0 ? null : say('basis.screening', { pairs: counted(pairs, `screening ${blockNoun(input)}`) });
}

const FACT_NAMES: Readonly<Record<RejectionFact, string>> = {
  steal: 'stolen time',
  other_cpu: 'other use of CPUs',
  frequency_hz: 'frequency',
  counter_share: 'time that the counters ran',
};

function isFact(fact: string): fact is RejectionFact {
  return Object.hasOwn(FACT_NAMES, fact);
}

/** A fact of the machine with its unit, as rules of rejection compare it. */
function formatFact(fact: string, value: number): string {
  if (fact === 'steal') return `${formatShare(value)} of a CPU`;
  if (fact === 'other_cpu') return `${formatNumber(value)} CPUs`;
  if (fact === 'counter_share') return `${formatNumber(value * 100, 4)} %`;
  if (fact === 'frequency_hz') return `${formatNumber(value / 1e9, 4)} GHz`;
  return formatNumber(value);
}

/** Rules of rejection in words: `stolen time above 2 % of a CPU`. */
export function rulesText(rules: readonly RejectRule[]): string {
  return list(rules.map((rule) => `${FACT_NAMES[rule.fact]} ${rule.when} ${formatFact(rule.fact, rule.limit)}`));
}

export interface Rejections {
  readonly any: boolean;
  readonly summary: readonly string[];
  /** One a rejected trial. */
  readonly rows: readonly string[];
}

export function rejectionsOf(input: ReportInput, escaping: Escaping): Rejections {
  const { rejections, rejections_beside: beside } = input.analysis;
  const { rules } = input.journal.run.experiment.reject;
  const besides = beside.flatMap((one) => rejectedRows(one, escaping.name(one.phase), escaping));
  if (rejections.total === 0 && besides.length > 0) {
    return { any: true, summary: [say('rejected.none-here', { rules: rulesText(rules) })], rows: besides };
  }
  if (rejections.total === 0) {
    if (rules.length === 0) {
      const rule = input.journal.run.imported === null ? 'rejected.no-rules' : 'rejected.imported';
      return { any: false, summary: [say(rule, {})], rows: [] };
    }
    return { any: false, summary: [say('rejected.none', { rules: rulesText(rules) })], rows: [] };
  }
  const block = blockNoun(input);
  const counts = list(input.analysis.arms.map((arm) => `${escaping.name(arm)} ${rejections.by_arm[arm] ?? 0}`));
  const summary = [
    say('rejected.some', {
      trials: counted(rejections.total, 'trial'),
      share: formatShare(rejections.pair_share),
      blocks: `${block}s`,
      block,
    }),
    rejections.p_value === null
      ? say('rejected.by-arm', { counts })
      : say('rejected.by-arm-test', { counts, p: formatP(rejections.p_value) }),
  ];
  return { any: true, summary, rows: [...rejectedRows(rejections, block, escaping), ...besides] };
}

/** One a rejected trial, in a pair or block of that name. */
function rejectedRows(
  { rows }: Pick<ReportInput['analysis']['rejections'], 'rows'>,
  block: string,
  escaping: Escaping,
): readonly string[] {
  return rows.map((row) =>
    say('rejected.row', {
      block: `${block} ${row.block}`,
      attempt: String(row.attempt),
      arm: escaping.name(row.arm),
      fact: isFact(row.fact) ? FACT_NAMES[row.fact] : escaping.prose(row.fact),
      value: formatFact(row.fact, row.value),
      limit: formatFact(row.fact, row.limit),
    }),
  );
}

/** What stopped and went on: not counted as rejected. */
export function interruptionsOf(input: ReportInput): readonly string[] {
  const { interruptions, resumptions } = input.journal;
  const noun = blockNoun(input);
  const tell = (record: InterruptedRecord): string => {
    const words = { block: `${record.phase} ${noun} ${record.block}`, attempt: String(record.attempt) };
    return record.reason === 'gap' ? say('interrupted.gap', words) : say('interrupted.resumed', words);
  };
  const torn = resumptions
    .filter((record) => record.dropped_bytes > 0)
    .map((record) =>
      say('interrupted.dropped', { time: formatTime(record.unix_ms), bytes: counted(record.dropped_bytes, 'byte') }),
    );
  return [...interruptions.map(tell), ...torn];
}

function machineSentence(input: ReportInput, escaping: Escaping): string {
  const { journal } = input;
  const { machine } = journal.run;
  if (machine === null) return say('imported.machine', {});
  const { cpu_model, cpus, virtual, governor, file_system } = machine;
  return say('basis.machine', {
    cpu: escaping.prose(cpu_model),
    cpus: counted(cpus, 'CPU'),
    kind: virtual === null ? 'virtual or not: unknown' : virtual ? 'virtual' : 'not virtual',
    governor: escaping.prose(governor ?? 'unknown'),
    file_system: escaping.prose(file_system ?? 'an unknown file system'),
    pinned: pinnedText(input),
  });
}

/** What a reader must know beside the numbers, as labelled sentences. */
export function basisOf(input: ReportInput, escaping: Escaping): readonly Statement[] {
  const optional = (label: string, sentence: string | null): Statement[] =>
    sentence === null ? [] : [{ label, sentence }];
  const { imported } = input.journal.run;
  const rejections = rejectionsOf(input, escaping);
  const claims = claimsOf(input, escaping);
  return [
    { label: 'order', sentence: pairsSentence(input) },
    { label: 'checks', sentence: checksSentence(input, escaping) },
    ...optional('rejected', rejections.any || imported !== null ? null : rejections.summary.join(' ')),
    ...optional('covers', limitSentences(input).join(' ') || null),
    ...optional('counters', countedSentence(input)),
    ...optional('driver', [...claims.timed, ...claims.not_about].join(' ') || null),
    ...optional(
      'arms',
      imported === null ? armsSentence(input, input.analysis.arms, escaping) : importedArms(input, imported, escaping),
    ),
    { label: 'machine', sentence: machineSentence(input, escaping) },
    ...optional('screening', screeningSentence(input)),
    ...optional('calibration', calibrationSentences(input, escaping).join(' ') || null),
  ];
}
