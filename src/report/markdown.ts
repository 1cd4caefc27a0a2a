/** `report.md`: the whole account of a run, ready for an issue tracker. */
import type { Comparison } from '../analysis/analysis.ts';
import { claimsOf } from './claims.ts';
import { uncountedSentence } from './counters.ts';
import { countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { codeParagraphs } from './machine-code.ts';
import { armsSection, commandsSection, machineSection, measurementSection } from './markdown-evidence.ts';
import { codeBlock, MARKDOWN, type MarkdownColumn, markdownTable } from './markdown-text.ts';
import { formatDuration, formatInterval, formatLevel, formatNumber, formatP, formatSigned } from './numbers.ts';
import { blockNoun, groupsOf, hasRatio, hasSteps, type ResultRow, rowsOf } from './row.ts';
import { say } from './rules.ts';
import {
  againCommand,
  checksSentence,
  hasEffect,
  interruptionsOf,
  limitSentences,
  pairsSentence,
  rejectionsOf,
  resumeCommand,
  screeningSentence,
  stateSentences,
} from './statements.ts';

const right = (title: string): MarkdownColumn => ({ title, align: 'right' });
const left = (title: string): MarkdownColumn => ({ title, align: 'left' });

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function bullets(items: readonly string[]): string[] {
  return items.map((item) => `- ${item}`);
}

function section(title: string, ...paragraphs: readonly (readonly string[])[]): string[] {
  const filled = paragraphs.filter((paragraph) => paragraph.length > 0);
  return filled.length === 0 ? [] : ['', `## ${title}`, ...filled.flatMap((paragraph) => ['', ...paragraph])];
}

/** The title is the finding where there is one primary comparison, and the experiment's own otherwise. */
function opening(input: ReportInput, rows: readonly ResultRow[]): string[] {
  const { analysis } = input;
  const title = MARKDOWN.prose(analysis.title);
  const complete = analysis.state === 'complete';
  const primary = rows.filter(
    (row) =>
      row.comparison.primary &&
      (complete || (row.comparison.effect !== null && row.comparison.verdict.kind !== 'invalid')),
  );
  const [only] = primary;
  const single = primary.length === 1 && only !== undefined && complete;
  const resume = resumeCommand(input);
  const against = groupsOf(rows).map((group) => `${group[0].arm} against ${group[0].reference}`);
  const intervals = `${formatLevel(analysis.level)} intervals over ${blockNoun(input)}s of fresh processes`;
  const scope = `${against.join(', ')}, on one machine${hasEffect(input) ? `; ${intervals}` : ''}.`;
  return [
    single ? `# ${only.finding}` : `# ${title}`,
    '',
    single ? `${title}: ${scope}` : scope,
    ...(analysis.question === null ? [] : ['', `**Question:** ${MARKDOWN.prose(analysis.question)}`]),
    ...stateSentences(input, MARKDOWN).flatMap((text) => ['', `**${text}**`]),
    ...(resume === null ? [] : ['', 'To go on:', '', ...codeBlock([resume], 'sh')]),
    ...(single || primary.length === 0 ? [] : ['', ...bullets(primary.map((row) => sentence(row.finding)))]),
  ];
}

function resultTable(input: ReportInput, group: readonly [ResultRow, ...ResultRow[]]): readonly string[] {
  const [{ arm, reference }] = group;
  const steps = hasSteps(input);
  const columns = [
    ...[left('metric'), right(reference), right(arm), right('change')],
    ...(steps ? [left('interval'), right('level')] : [left(`${formatLevel(input.analysis.level)} interval`)]),
    ...[left(`${blockNoun(input)}s`), left('verdict')],
  ];
  const rows = group.map((row) => [
    row.comparison.primary ? `**${row.metric}** \\*` : row.metric,
    ...[row.means.reference, row.means.arm, row.change, row.interval],
    ...(steps ? [row.level] : []),
    ...[row.directions, row.verdict],
  ]);
  return markdownTable(columns, rows);
}

function resultsSection(input: ReportInput, rows: readonly ResultRow[]): string[] {
  if (input.analysis.state !== 'complete' && !hasEffect(input)) return [];
  const several = input.analysis.arms.length > 2;
  const tables = groupsOf(rows).flatMap((group) => [
    ...(several ? [[`${group[0].arm} against ${group[0].reference}:`]] : []),
    resultTable(input, group),
  ]);
  const uncounted = uncountedSentence(input, MARKDOWN);
  const notes = [
    ...(rows.some((row) => row.comparison.primary) ? [say('note.primary', {}).replace('*', '\\*')] : []),
    ...(rows.some(hasRatio) ? [say('note.means', { blocks: `${blockNoun(input)}s` })] : []),
    ...(hasSteps(input) ? [say('note.levels', {})] : []),
    ...rows.flatMap((row) => (row.reason === null || row.comparison.primary ? row.notes : [row.reason, ...row.notes])),
    ...(uncounted === null ? [] : [uncounted]),
  ];
  return section('Results', ...tables, bullets(notes));
}

/** Counts of instructions beside the times; names of functions are whole here. */
function countsSection(input: ReportInput, rows: readonly ResultRow[]): string[] {
  const counts = countsOf(input, rows, MARKDOWN);
  if (counts === null) return [];
  const told = counts.views.flatMap((view) => {
    const columns = [left(''), right(view.reference), right(view.arm), left('difference')];
    const table = markdownTable(
      columns,
      view.rows.map(({ label, reference, arm, difference }) => [label, reference, arm, difference]),
    );
    const { functions } = view;
    if (functions === null) {
      return [[view.findings.join(' ')], table, view.no_functions === null ? [] : [view.no_functions]];
    }
    const lines = functions.rows.map(({ label, reference, arm, difference }) => [
      MARKDOWN.name(label),
      ...[reference, arm, difference],
    ]);
    const functionColumns = [left('function'), right(view.reference), right(view.arm), right('difference')];
    return [
      [view.findings.join(' ')],
      ...[table, [functions.title]],
      markdownTable(functionColumns, [...lines, ['all others', '', '', functions.rest]]),
      functions.notes.map((note) => note.replace(/^-/, '\\-')),
    ];
  });
  return section('Instructions', ...told, bullets(counts.notes));
}

/** What stands on the logarithm's scale, as a change. */
function asChange(comparison: Comparison, value: number): number {
  return comparison.kind === 'ratio' ? Math.expm1(value) : value;
}

function subjectOf(row: ResultRow, several: boolean): string {
  return several ? `${row.metric} ${row.arm}` : row.metric;
}

/** Companions never decide a verdict: they show whether the change hangs on few pairs or on the method. */
function companionsSection(input: ReportInput, rows: readonly ResultRow[]): string[] {
  const several = input.analysis.arms.length > 2;
  const spread: string[][] = [];
  const course: string[][] = [];
  for (const row of rows) {
    const { comparison, scale } = row;
    const { effect } = comparison;
    if (effect === null) continue;
    const signed = (value: number | null): string => (value === null ? '-' : formatSigned(value, scale));
    const ranged = (estimate: { value: number; interval: readonly [number, number] } | null): string => {
      if (estimate === null) return '-';
      const [low, high] = estimate.interval;
      const ends = [asChange(comparison, low), asChange(comparison, high)] as const;
      return `${signed(asChange(comparison, estimate.value))} ${formatInterval(ends, scale)}`;
    };
    const { order_effect: order, trend, autocorrelation } = effect;
    spread.push([
      subjectOf(row, several),
      ...[signed(effect.smallest_pair), signed(effect.largest_pair), signed(effect.throughput_change)],
      signed(effect.hodges_lehmann),
      effect.wilcoxon_p === null ? '-' : formatP(effect.wilcoxon_p),
      formatP(effect.directions.p_value),
      effect.detectable === null ? '-' : signed(effect.detectable).slice(1),
    ]);
    course.push([
      subjectOf(row, several),
      ranged(order === null ? null : { value: order.gamma, interval: order.interval }),
      autocorrelation === null
        ? '-'
        : `${formatNumber(autocorrelation.lag1, 2)} (limit ${formatNumber(autocorrelation.limit, 2)})`,
      ranged(trend === null ? null : { value: trend.slope, interval: trend.interval }),
    ]);
  }
  if (spread.length === 0) return [];
  const spreadColumns = [
    ...[left('metric'), right('smallest pair'), right('largest pair'), right('as throughput')],
    ...[right('Hodges-Lehmann'), left('Wilcoxon'), left('sign test'), right('detectable')],
  ];
  const courseColumns = [left('metric'), left('order effect'), left('lag-1 correlation'), left('trend per pair')];
  return section(
    'Companions',
    ['None of these decides a verdict.'],
    markdownTable(spreadColumns, spread),
    markdownTable(courseColumns, course),
    [
      'The order effect is half the difference between pairs that ran the reference first and pairs that ran it second. *Detectable* is the change that a run of this spread finds 4 times in 5.',
    ],
  );
}

function warningsSection(input: ReportInput): string[] {
  const list = input.analysis.warnings.map((warning) => {
    const about = warning.metric === null ? '' : ` (${MARKDOWN.name(warning.metric)})`;
    const message = sentence(MARKDOWN.prose(warning.message));
    return `**${MARKDOWN.prose(warning.code)}**${about}: ${message} *What would help:* ${sentence(MARKDOWN.prose(warning.remedy))}`;
  });
  return section('Warnings', list.length === 0 ? ['None.'] : bullets(list));
}

function rejectedSection(input: ReportInput): string[] {
  const { summary, rows } = rejectionsOf(input, MARKDOWN);
  const interruptions = interruptionsOf(input);
  const told =
    interruptions.length === 0 ? [] : ['Interrupted (not counted as rejected):', '', ...bullets(interruptions)];
  return section('Rejected and repeated', [capital(summary.join(' '))], bullets(rows), told);
}

function screeningSection(input: ReportInput): string[] {
  const told = screeningSentence(input);
  if (told === null) return [];
  const spread = (value: number | null): string => (value === null ? '-' : formatNumber(value * 100, 2));
  const rows = input.analysis.screening
    .filter((summary) => summary.pairs > 0)
    .map((summary) => {
      const ratio = input.analysis.comparisons.find((one) => one.metric === summary.metric)?.kind !== 'difference';
      const plain = (value: number | null): string => (value === null ? '-' : formatNumber(value, 2));
      const show = ratio ? (value: number | null) => (value === null ? '-' : `${spread(value)} %`) : plain;
      return [
        ...[MARKDOWN.name(summary.metric), MARKDOWN.name(summary.arm), String(summary.pairs)],
        ...[show(summary.sd), show(summary.sd_upper_80), formatDuration(summary.pair_seconds)],
      ];
    });
  const columns = [
    ...[left('metric'), left('arm'), right('pairs'), right('spread of pairs'), right('its upper 80 % bound')],
    right('time a pair'),
  ];
  return section('Screening', [told], markdownTable(columns, rows));
}

function checkedSection(input: ReportInput): string[] {
  return section('What was checked in every trial', [capital(checksSentence(input, MARKDOWN))]);
}

function againSection(input: ReportInput): string[] {
  const again = againCommand(input);
  return again === null ? [] : section('To read it again', codeBlock([again], 'sh'));
}

/** The Markdown report. It never depends on the terminal's options. */
export function markdownReport(input: ReportInput): string {
  const rows = rowsOf(input, MARKDOWN);
  const claims = claimsOf(input, MARKDOWN);
  const lines = [
    ...opening(input, rows),
    ...resultsSection(input, rows),
    ...countsSection(input, rows),
    ...section('Limits of the conclusion', bullets([...limitSentences(input), ...claims.not_about])),
    ...warningsSection(input),
    ...section('How it was measured', [pairsSentence(input)], claims.timed, measurementSection(input)),
    ...checkedSection(input),
    ...rejectedSection(input),
    ...companionsSection(input, rows),
    ...screeningSection(input),
    ...section('Machine', machineSection(input)),
    ...section('Arms', ...armsSection(input)),
    ...section('Machine code', ...codeParagraphs(input)),
    ...section('One trial of each arm', ...commandsSection(input)),
    ...againSection(input),
  ];
  return `${lines.join('\n')}\n`;
}
