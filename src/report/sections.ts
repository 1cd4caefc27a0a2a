/** The sections of a whole report, in their order: what stands in them is one for all formats that have them. */
import { attachmentNotes, attachmentsOf } from './attachments.ts';
import { calibrationSentences } from './calibrated.ts';
import { checkLines } from './checks.ts';
import { claimsOf } from './claims.ts';
import { companionTables, screeningTable } from './companions.ts';
import { controlParts } from './control-parts.ts';
import { type CountView, countsOf } from './counts.ts';
import { evidenceFacts, type Fact } from './evidence.ts';
import { hasResults, resultNotes } from './findings.ts';
import type { ReportInput } from './input.ts';
import { codeStatements } from './machine-code.ts';
import { blockNoun, type ResultRow } from './row.ts';
import { say } from './rules.ts';
import type { SequenceView } from './sequence.ts';
import { sequenceParts } from './sequence-parts.ts';
import { sideSections } from './side-parts.ts';
import {
  againCommand,
  checksSentence,
  interruptionsOf,
  intervalSentence,
  limitSentences,
  pairsSentence,
  rejectionsOf,
  screeningSentence,
  timedSentences,
} from './statements.ts';
import { meaningOf, singleTrials, trialNames, trialNotes } from './trial-command.ts';
import { workloadText } from './workload.ts';
import { left, listed, number, numbers, type Table, type Writer } from './writer.ts';

/** How a format writes the parts of a section. Commands are as they are, not dressed. */
export interface Layout<Part> extends Writer<Part> {
  /** A word that is explained where it stands. */
  readonly term: (word: string) => string;
  /** A list that a reader may pass over. */
  readonly notes: (items: readonly string[]) => Part;
  readonly facts: (caption: string, facts: readonly Fact[]) => Part;
  readonly command: (command: string) => Part;
}

/** What each format lays out in a way of its own; a section of nothing is left out. */
export interface OwnParts<Part> {
  readonly results: readonly Part[];
  readonly warnings: readonly Part[];
  readonly metrics: readonly Part[];
  readonly noise: readonly Part[];
  readonly arms: readonly Part[];
  /** Before the looks of a sequential run at a primary metric. */
  readonly looks: (view: SequenceView) => readonly Part[];
  /** After the functions that account for a difference; `at` is the contrast's place in the analysis. */
  readonly functions: (view: CountView, at: number) => readonly Part[];
}

export interface Section<Part> {
  readonly id: string;
  readonly title: string;
  readonly parts: readonly [Part, ...Part[]];
}

/** Every section of a report that has something in it. `rows` are those of the results, dressed as the layout does. */
export function sectionsOf<Part>(
  input: ReportInput,
  rows: readonly ResultRow[],
  layout: Layout<Part>,
  own: OwnParts<Part>,
): readonly Section<Part>[] {
  const { escaping, text } = layout;
  const claims = claimsOf(input, escaping);
  const again = againCommand(input);
  return [
    ...section('measured', 'Environment and measurement', measuredParts(input, layout)),
    ...section('results', 'Workload and results', resultParts(input, rows, layout, own.results)),
    ...section('looks', 'Look by look', sequenceParts(input, rows, layout, own.looks)),
    ...section('instructions', 'Instructions', instructionParts(input, rows, layout, own.functions)),
    ...section('warnings', 'Warnings', own.warnings),
    ...section('metrics', 'Metric by metric', own.metrics),
    ...section('noise', 'How busy the machine was', own.noise),
    ...section('timed', 'What is timed, and what is not', [text(...timedSentences(input, claims.timed))]),
    ...section('checked', 'What was checked in every trial', [
      text(capital(checksSentence(input, escaping))),
      ...listed(layout, checkLines(input, escaping)),
    ]),
    ...section('controls', 'Controls', controlsOf(input, layout)),
    ...sideSections(input, layout).flatMap(({ title, parts }, at) => section(`beside-${at + 1}`, title, parts)),
    ...section('code', 'Attribution', attributionParts(input, layout)),
    ...section('trial', 'Single trials', trialParts(input, layout)),
    ...section('limits', 'Limits of the conclusion', listed(layout, [...limitSentences(input), ...claims.not_about])),
    ...section('attachments', 'Attachments', attachmentParts(input, layout)),
    ...section('arms', 'Arms', own.arms),
    ...section('rejected', 'Rejected and repeated', rejectedParts(input, layout)),
    ...section('companions', 'Companions', companionParts(input, rows, layout)),
    ...section('screening', 'Screening', screeningParts(input, layout)),
    ...section('again', 'To read it again', again === null ? [] : [layout.command(again)]),
  ];
}

function section<Part>(id: string, title: string, [first, ...rest]: readonly Part[]): readonly Section<Part>[] {
  return first === undefined ? [] : [{ id, title, parts: [first, ...rest] }];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function measuredParts<Part>(input: ReportInput, { escaping, text, facts }: Layout<Part>): readonly Part[] {
  const interval = intervalSentence(input);
  return [
    text([pairsSentence(input), ...(interval === null ? [] : [interval])].join(' ')),
    ...calibrationSentences(input, escaping).map((sentence) => text(sentence)),
    ...evidenceFacts(input, escaping).map(([caption, list]) => facts(caption, list)),
  ];
}

function resultParts<Part>(
  input: ReportInput,
  rows: readonly ResultRow[],
  { escaping, text, list, notes }: Layout<Part>,
  own: readonly Part[],
): readonly Part[] {
  const workload = workloadText(input, escaping);
  const start = workload.length === 0 ? [] : [text(...workload)];
  if (!hasResults(input)) return start;
  return [
    ...start,
    ...own,
    ...listed(
      { list },
      rows.flatMap(({ details }) => details),
    ),
    ...listed({ list: notes }, resultNotes(input, rows, escaping)),
  ];
}

function controlsOf<Part>(input: ReportInput, layout: Layout<Part>): readonly Part[] {
  const parts = controlParts(input, layout);
  if (parts.length > 0) return parts;
  const rebuilt = input.analysis.sides.some(({ comparisons }) => comparisons.some(({ role }) => role === 'rebuild'));
  const isSame = input.journal.run.experiment.calibrates?.against === 'same';
  const isImported = input.journal.run.imported !== null;
  const absent = isSame ? 'control.absent-same' : isImported ? 'control.absent-imported' : 'control.absent';
  return [layout.text(say(rebuilt ? 'control.absent-rebuild' : absent, {}))];
}

function attributionParts<Part>(input: ReportInput, layout: Layout<Part>): readonly Part[] {
  const ablations = input.analysis.sides.some(({ comparisons }) => comparisons.some(({ role }) => role === 'ablation'));
  return [...(ablations ? [] : [layout.text(say('attribution.none', {}))]), ...codeParts(input, layout)];
}

function attachmentParts<Part>(input: ReportInput, { escaping, table, text }: Layout<Part>): readonly Part[] {
  const rows = attachmentsOf(input, escaping).map(([name, what]) => [
    name.split(', ').map(escaping.name).join(', '),
    what,
  ]);
  return [
    table('Attachments', { columns: [left('file'), left('what it is')], rows }),
    text(...attachmentNotes(input, escaping)),
  ];
}

/** Counts of instructions beside the times; names of functions are whole here. */
function instructionParts<Part>(
  input: ReportInput,
  rows: readonly ResultRow[],
  { escaping, text, table, notes }: Layout<Part>,
  plotted: OwnParts<Part>['functions'],
): readonly Part[] {
  const counts = countsOf(input, rows, escaping);
  if (counts === null) return [];
  const told = counts.views.flatMap((view, at) => {
    const { functions, reference, arm, no_functions } = view;
    const besides: Table = {
      columns: [
        ...[left(''), numbers(reference, 'range'), numbers(arm, 'range')],
        ...[numbers('difference', 'estimate'), numbers('change', 'estimate')],
      ],
      rows: view.rows.map((row) => [row.label, row.reference, row.arm, row.difference, row.change]),
    };
    const start = [text(view.findings.join(' ')), table(`Instructions and times of ${arm} and ${reference}`, besides)];
    if (functions === null) return no_functions === null ? start : [...start, text(no_functions)];
    const lines = functions.rows.map((row) => [escaping.name(row.label), row.reference, row.arm, row.difference]);
    const byFunction: Table = {
      columns: [left('function'), number(reference), number(arm), number('difference')],
      rows: [...lines, ['all others', '', '', functions.rest]],
    };
    return [
      ...start,
      text(functions.title),
      table(`Functions of ${arm} and ${reference} by difference`, byFunction),
      ...functions.notes.map((note) => text(note)),
      ...plotted(view, at),
    ];
  });
  return [...told, ...listed({ list: notes }, counts.notes)];
}

function rejectedParts<Part>(input: ReportInput, { escaping, text, list }: Layout<Part>): readonly Part[] {
  const { summary, rows } = rejectionsOf(input, escaping);
  const interruptions = interruptionsOf(input);
  return [
    text(capital(summary.join(' '))),
    ...listed({ list }, rows),
    ...(interruptions.length === 0 ? [] : [text(say('interrupted.lead', {})), list(interruptions)]),
  ];
}

/** Companions never decide a verdict: they show whether the change hangs on few pairs or on the method. */
function companionParts<Part>(
  input: ReportInput,
  rows: readonly ResultRow[],
  { term, text, table }: Layout<Part>,
): readonly Part[] {
  const tables = companionTables(input, rows);
  if (tables === null) return [];
  const noun = blockNoun(input) === 'session' ? 'session' : 'pair';
  return [
    text(say('companions.lead', {})),
    table(`Spread of the ${noun}s`, tables.spread),
    table(`Course of the ${noun}s over the run`, tables.course),
    text(
      say(noun === 'session' ? 'companions.words-sessions' : 'companions.words', { detectable: term('Detectable') }),
    ),
  ];
}

function screeningParts<Part>(input: ReportInput, { escaping, text, table }: Layout<Part>): readonly Part[] {
  const told = screeningSentence(input);
  return told === null ? [] : [text(told), table('Screening', screeningTable(input, escaping))];
}

function codeParts<Part>(input: ReportInput, { escaping, list, notes, table }: Layout<Part>): readonly Part[] {
  return codeStatements(input, escaping).flatMap(({ reference, arm, sentences, rows, notes: told }) => {
    const columns = [left('function'), number(reference), number(arm)];
    return [
      ...listed({ list }, sentences),
      ...(rows.length === 0
        ? []
        : [table(`Functions of ${arm} and ${reference} whose code differs`, { columns, rows })]),
      ...listed({ list: notes }, told),
    ];
  });
}

function trialParts<Part>(input: ReportInput, { escaping, text, command }: Layout<Part>): readonly Part[] {
  const { commands, variables } = singleTrials(input);
  if (commands.length === 0) return [];
  return [
    text(say('trial.shell', { meanings: variables.map((one) => meaningOf(one, '', escaping)).join(', ') })),
    ...trialNotes(input, escaping).map((note) => text(note)),
    ...commands.flatMap((one) => [text(`${trialNames(one.of, escaping)}:`), command(one.command)]),
  ];
}
