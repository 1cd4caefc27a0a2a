/** The sections of a whole report, in their order: what stands in them is one for all formats that have them. */
import { claimsOf } from './claims.ts';
import { COMPANIONS_LEAD, companionsNote, companionTables, screeningTable, type Table } from './companions.ts';
import { type CountView, countsOf } from './counts.ts';
import { type Fact, machineFacts, measurementFacts } from './evidence.ts';
import type { ReportInput } from './input.ts';
import { codeStatements } from './machine-code.ts';
import type { Escaping } from './plain-text.ts';
import type { ResultRow } from './row.ts';
import {
  againCommand,
  checksSentence,
  interruptionsOf,
  limitSentences,
  pairsSentence,
  rejectionsOf,
  screeningSentence,
} from './statements.ts';
import { singleTrials } from './trial-command.ts';

/** How a format writes the parts of a section. Texts are dressed already, commands are not. */
export interface Layout<Part> {
  readonly escaping: Escaping;
  /** A word that is explained where it stands. */
  readonly term: (word: string) => string;
  /** A paragraph. */
  readonly text: (...sentences: readonly string[]) => Part;
  readonly list: (items: readonly string[]) => Part;
  /** A list that a reader may pass over. */
  readonly notes: (items: readonly string[]) => Part;
  readonly table: (caption: string, table: Table) => Part;
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
  const { escaping, text, facts } = layout;
  const claims = claimsOf(input, escaping);
  const again = againCommand(input);
  return [
    ...section('results', 'Results', own.results),
    ...section('instructions', 'Instructions', instructionParts(input, rows, layout, own.functions)),
    ...section(
      'limits',
      'Limits of the conclusion',
      listed(layout.list, [...limitSentences(input), ...claims.not_about]),
    ),
    ...section('warnings', 'Warnings', own.warnings),
    ...section('metrics', 'Metric by metric', own.metrics),
    ...section('noise', 'How busy the machine was', own.noise),
    ...section('measured', 'How it was measured', [
      text(pairsSentence(input)),
      ...(claims.timed.length === 0 ? [] : [text(...claims.timed)]),
      facts('How it was measured', measurementFacts(input, escaping)),
    ]),
    ...section('checked', 'What was checked in every trial', [text(capital(checksSentence(input, escaping)))]),
    ...section('rejected', 'Rejected and repeated', rejectedParts(input, layout)),
    ...section('companions', 'Companions', companionParts(input, rows, layout)),
    ...section('screening', 'Screening', screeningParts(input, layout)),
    ...section('machine', 'Machine', [facts('Machine', machineFacts(input, escaping))]),
    ...section('arms', 'Arms', own.arms),
    ...section('code', 'Machine code', codeParts(input, layout)),
    ...section('trial', 'One trial of each arm', trialParts(input, layout)),
    ...section('again', 'To read it again', again === null ? [] : [layout.command(again)]),
  ];
}

function section<Part>(id: string, title: string, [first, ...rest]: readonly Part[]): readonly Section<Part>[] {
  return first === undefined ? [] : [{ id, title, parts: [first, ...rest] }];
}

function listed<Part>(list: Layout<Part>['list'], items: readonly string[]): readonly Part[] {
  return items.length === 0 ? [] : [list(items)];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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
      columns: [...[left(''), right(reference), right(arm)], left('difference')],
      rows: view.rows.map((row) => [row.label, row.reference, row.arm, row.difference]),
    };
    const start = [text(view.findings.join(' ')), table(`Instructions and times of ${arm} and ${reference}`, besides)];
    if (functions === null) return no_functions === null ? start : [...start, text(no_functions)];
    const lines = functions.rows.map((row) => [escaping.name(row.label), row.reference, row.arm, row.difference]);
    const byFunction: Table = {
      columns: [left('function'), right(reference), right(arm), right('difference')],
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
  return [...told, ...listed(notes, counts.notes)];
}

function rejectedParts<Part>(input: ReportInput, { escaping, text, list }: Layout<Part>): readonly Part[] {
  const { summary, rows } = rejectionsOf(input, escaping);
  const interruptions = interruptionsOf(input);
  return [
    text(capital(summary.join(' '))),
    ...listed(list, rows),
    ...(interruptions.length === 0 ? [] : [text('Interrupted (not counted as rejected):'), list(interruptions)]),
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
  return [
    text(COMPANIONS_LEAD),
    table('Spread of the pairs', tables.spread),
    table('Course of the pairs over the run', tables.course),
    text(companionsNote(term)),
  ];
}

function screeningParts<Part>(input: ReportInput, { escaping, text, table }: Layout<Part>): readonly Part[] {
  const told = screeningSentence(input);
  return told === null ? [] : [text(told), table('Screening', screeningTable(input, escaping))];
}

function codeParts<Part>(input: ReportInput, { escaping, list, notes, table }: Layout<Part>): readonly Part[] {
  return codeStatements(input, escaping).flatMap(({ reference, arm, sentences, rows, notes: told }) => {
    const columns = [left('function'), right(reference), right(arm)];
    return [
      ...listed(list, sentences),
      ...(rows.length === 0
        ? []
        : [table(`Functions of ${arm} and ${reference} whose code differs`, { columns, rows })]),
      ...listed(notes, told),
    ];
  });
}

function trialParts<Part>(input: ReportInput, { escaping, text, command }: Layout<Part>): readonly Part[] {
  const { commands, meanings } = singleTrials(input);
  if (commands.length === 0) return [];
  const told = meanings.map(({ name, meaning }) => `${escaping.name(name)} is ${meaning}`);
  return [
    text(`For a shell; ${told.join(', ')}.`),
    ...commands.flatMap((one) => [text(`${escaping.name(one.arm)}:`), command(one.command)]),
  ];
}

const right = (title: string) => ({ title, align: 'right' }) as const;
const left = (title: string) => ({ title, align: 'left' }) as const;
