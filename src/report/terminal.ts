/** The report for people at a terminal, and in a pipe. */
import { painter, verdictColor } from './color.ts';
import { countFindings, findingsOf } from './findings.ts';
import type { ReportInput } from './input.ts';
import { displayWidth, escapeText, PLAIN, padEnd, wrap } from './plain-text.ts';
import { type ResultRow, rowsOf, trialTime } from './row.ts';
import { againCommand, basisOf, goOnOf, interruptionsOf, rejectionsOf, stateSentences } from './statements.ts';
import { besideLines } from './terminal-beside.ts';
import { codeLines } from './terminal-code.ts';
import { countLines } from './terminal-counts.ts';
import { type Page, resultLines } from './terminal-results.ts';
import { sequenceLines } from './terminal-sequence.ts';
import { meaningOf, singleTrials, trialNames, trialNotes } from './trial-command.ts';

const NARROWEST = 60;
/** Longer lines of prose are hard to read, however wide the terminal is. */
const WIDEST_PROSE = 110;
const REJECTED_SHOWN = 8;

function findings(input: ReportInput, rows: readonly ResultRow[], page: Page): string[] {
  const state = stateSentences(input, PLAIN);
  const stateColor = input.analysis.state === 'invalid' ? 'red' : 'yellow';
  const goOn = goOnOf(input);
  return [
    ...state.flatMap((sentence) => wrap(sentence, page.prose, '', '  ').map((line) => page.paint(stateColor, line))),
    ...(goOn === null ? [] : [`${goOn.words} ${escapeText(goOn.command)}`]),
    ...findingsOf(input, rows).told.flatMap((row) =>
      wrap(row.finding, page.prose, '', '  ').map((line) => page.paint(verdictColor(row.comparison.verdict), line)),
    ),
    ...countFindings(input, rows, PLAIN).flatMap((sentence) => wrap(sentence, page.prose, '', '  ')),
  ];
}

function heading(text: string, page: Page): string[] {
  return ['', page.paint('bold', text)];
}

function warnings(input: ReportInput, page: Page): string[] {
  const list = input.analysis.warnings.flatMap((warning) => {
    const about = warning.metric === null ? '' : ` (${PLAIN.name(warning.metric)})`;
    const message = `${warning.code}${about}: ${PLAIN.prose(warning.message)}`;
    return [
      ...wrap(message, page.prose, '  ', '    '),
      ...wrap(`What would help: ${PLAIN.prose(warning.remedy)}`, page.prose, '    '),
    ];
  });
  return list.length === 0 ? [] : [...heading('Warnings', page), ...list];
}

function leftOut(input: ReportInput, page: Page): string[] {
  const { any, summary, rows } = rejectionsOf(input, PLAIN);
  const hidden = rows.length - REJECTED_SHOWN;
  const shown = hidden > 0 ? [...rows.slice(0, REJECTED_SHOWN), `${hidden} more: see report.md`] : rows;
  const interruptions = interruptionsOf(input).flatMap((line) => wrap(line, page.prose, '  ', '    '));
  return [
    ...(any ? heading('Rejected', page) : []),
    ...(any ? summary : []).flatMap((sentence) => wrap(sentence, page.prose, '  ')),
    ...shown.flatMap((row) => wrap(row, page.prose, '    ', '      ')),
    ...(interruptions.length === 0 ? [] : [...heading('Interrupted', page), ...interruptions]),
  ];
}

function basis(input: ReportInput, page: Page): string[] {
  const statements = basisOf(input, PLAIN);
  const indent = 2 + Math.max(...statements.map((statement) => displayWidth(statement.label))) + 2;
  const again = againCommand(input);
  const label = (text: string): string => padEnd(`  ${text}`, indent);
  return [
    ...heading('Basis', page),
    ...statements.flatMap(({ label: text, sentence }) => wrap(sentence, page.prose, label(text), ' '.repeat(indent))),
    ...(again === null ? [] : [`${label('again')}${escapeText(again)}`]),
  ];
}

/** Where a driver applies the workload, the command of one trial; a command of the user's own stands in the basis. */
function singleTrial(input: ReportInput, page: Page): string[] {
  if (input.journal.run.experiment.workload.driver === null) return [];
  const { commands: own, variables } = singleTrials(input);
  const commands = own.map(({ of, command }) => ({
    arm: trialNames(of, PLAIN),
    command: escapeText(command),
  }));
  const [first] = commands;
  if (first === undefined) return [];
  const alike = commands.length === 1;
  return [
    ...heading(alike ? 'One trial of any arm' : 'One trial', page),
    ...(alike ? [`  ${first.command}`] : commands.flatMap(({ arm, command }) => [`  ${arm}:`, `    ${command}`])),
    ...wrap(`${variables.map((one) => meaningOf(one, ' in report.md', PLAIN)).join(', ')}.`, page.prose, '  '),
    ...trialNotes(input, PLAIN).flatMap((note) => wrap(note, page.prose, '  ')),
  ];
}

/** Title, what is compared, when and how long: the lines between the finding and the table. */
function about(input: ReportInput, page: Page): string[] {
  const { analysis } = input;
  const time = trialTime(input);
  return [
    '',
    ...wrap(PLAIN.prose(analysis.title), page.prose).map((line) => page.paint('bold', line)),
    ...(analysis.question === null ? [] : wrap(PLAIN.prose(analysis.question), page.prose)),
    page.paint('dim', time),
  ];
}

/** The terminal report; only the findings where `quiet` is set. Lines are at least 60 columns wide. */
export function terminalReport(input: ReportInput): string {
  const width = Math.max(NARROWEST, input.options.width);
  const page = { width, prose: Math.min(width, WIDEST_PROSE), paint: painter(input.options.color) };
  const rows = rowsOf(input, PLAIN);
  const lines = findings(input, rows, page);
  if (!input.options.quiet) {
    lines.push(...about(input, page), ...resultLines(input, rows, page));
    lines.push(
      ...sequenceLines(input, rows, page),
      ...countLines(input, rows, page),
      ...besideLines(input, page),
      ...warnings(input, page),
      ...codeLines(input, page),
      ...leftOut(input, page),
      ...basis(input, page),
    );
    lines.push(...singleTrial(input, page));
  }
  return `${lines.join('\n')}\n`;
}
