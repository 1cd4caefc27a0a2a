/** `report.md`: the whole account of a run, ready for an issue tracker. */
import { toldArms } from './arms.ts';
import type { Fact } from './evidence.ts';
import {
  countFindings,
  findingsOf,
  hasResults,
  scopeSentence,
  sentence,
  uncountedFindings,
  warningsSentence,
} from './findings.ts';
import type { ReportInput } from './input.ts';
import { codeBlock, MARKDOWN, markdownTable } from './markdown-text.ts';
import { counted } from './numbers.ts';
import { blockNoun, groupsOf, hasSteps, intervalTitle, type ResultRow, rowsOf } from './row.ts';
import { say } from './rules.ts';
import { type Layout, type Section, sectionsOf } from './sections.ts';
import { goOnOf, stateSentences } from './statements.ts';
import { titleOf } from './title.ts';
import { left, number } from './writer.ts';

/** Lines; an empty one stands before each. */
type Paragraph = readonly string[];

function bullets(items: readonly string[]): readonly string[] {
  return items.map((item) => `- ${item}`);
}

const LAYOUT: Layout<Paragraph> = {
  escaping: MARKDOWN,
  term: (word) => `*${word}*`,
  text: (...sentences) => sentences.map((one) => one.replace(/^-/, '\\-')),
  list: bullets,
  notes: (items) => bullets(items.map((item) => item.replace(/^\*/, '\\*'))),
  table: (_, { columns, rows }) => markdownTable(columns, rows),
  facts: (_, facts: readonly Fact[]) => markdownTable([left('what'), left('value')], facts),
  command: (command) => codeBlock([command], 'sh'),
};

/** The title is finding and scope in one sentence; below it what is compared, and each finding in full. */
function opening(input: ReportInput, rows: readonly ResultRow[]): string[] {
  const { analysis } = input;
  const { told } = findingsOf(input, rows);
  const findings = [
    ...told.map((row) => sentence(row.finding)),
    ...countFindings(input, rows, MARKDOWN),
    ...uncountedFindings(input, MARKDOWN),
  ];
  const goOn = goOnOf(input);
  const warned = warningsSentence(input, MARKDOWN);
  return [
    `# ${titleOf(input, rows, MARKDOWN)}`,
    '',
    `${MARKDOWN.prose(analysis.title)}: ${scopeSentence(input, rows)}`,
    ...(analysis.question === null ? [] : ['', `**Question:** ${MARKDOWN.prose(analysis.question)}`]),
    ...stateSentences(input, MARKDOWN).flatMap((text) => ['', `**${text}**`]),
    ...(goOn === null ? [] : ['', goOn.words, '', ...codeBlock([goOn.command], 'sh')]),
    ...(findings.length === 0 ? [] : ['', ...bullets(findings)]),
    ...(warned === null ? [] : ['', say('opening.warnings', { warnings: `**${warned.count}**`, codes: warned.codes })]),
  ];
}

function resultTable(input: ReportInput, group: readonly [ResultRow, ...ResultRow[]]): readonly string[] {
  const [{ arm, reference }] = group;
  const steps = hasSteps(input);
  const columns = [
    ...[left('metric'), number(reference), number(arm), number('change')],
    left(intervalTitle(input)),
    ...(steps ? [number('level')] : []),
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

function results(input: ReportInput, rows: readonly ResultRow[]): readonly Paragraph[] {
  if (!hasResults(input)) return [];
  const several = input.analysis.arms.length > 2;
  return groupsOf(rows).flatMap((group) => [
    ...(several ? [[`${group[0].arm} against ${group[0].reference}:`]] : []),
    resultTable(input, group),
  ]);
}

function warnings({ analysis }: ReportInput): readonly Paragraph[] {
  const list = analysis.warnings.map((warning) => {
    const about = warning.metric === null ? '' : ` (${MARKDOWN.name(warning.metric)})`;
    const message = sentence(MARKDOWN.prose(warning.message));
    return `**${MARKDOWN.prose(warning.code)}**${about}: ${message} *What would help:* ${sentence(MARKDOWN.prose(warning.remedy))}`;
  });
  return [list.length === 0 ? [say('warnings.none', {})] : bullets(list)];
}

/** Origin and digests: of all arms what they have in common, then of each what it has of its own. */
function arms(input: ReportInput): readonly Paragraph[] {
  const { name: code, prose } = MARKDOWN;
  const told = toldArms(input);
  if (told === null) return [[say('arms.none', {})]];
  type Own = Pick<(typeof told.arms)[number], 'origin' | 'files'>;
  const below = ({ origin, files }: Own) => [
    ...origin.map(([key, value]) => `  - ${prose(key)}: ${code(value)}`),
    ...files.map((file) => `  - ${code(file.path)}, ${counted(file.bytes, 'byte')}, SHA-256 ${code(file.sha256)}`),
  ];
  const { common } = told;
  return [
    ...(common === null ? [] : [[`- ${say('arms.common', {})}`, ...below(common)]]),
    ...told.arms.map((arm) => [`- ${code(arm.arm)}${arm.note}`, ...below(arm)]),
  ];
}

function written({ title, parts }: Section<Paragraph>): readonly string[] {
  return ['', `## ${title}`, ...parts.flatMap((paragraph) => ['', ...paragraph])];
}

/** The Markdown report. It never depends on the terminal's options. */
export function markdownReport(input: ReportInput): string {
  const rows = rowsOf(input, MARKDOWN);
  const sections = sectionsOf(input, rows, LAYOUT, {
    results: results(input, rows),
    warnings: warnings(input),
    arms: arms(input),
    // Markdown has no plots.
    ...{ metrics: [], noise: [], looks: () => [], functions: () => [] },
  });
  return `${[...opening(input, rows), ...sections.flatMap(written)].join('\n')}\n`;
}
