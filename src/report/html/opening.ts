/** The head of the page: the verdict first, then what it rests on. */
import {
  countFindings,
  findingsOf,
  scopeSentence,
  sentence,
  uncountedFindings,
  warningsSentence,
} from '../findings.ts';
import type { ReportInput } from '../input.ts';
import { blockNoun, type ResultRow, trialTime } from '../row.ts';
import { limit } from '../row-notes.ts';
import { say } from '../rules.ts';
import { goOnOf, stateSentences } from '../statements.ts';
import { titleOf } from '../title.ts';
import { type Html, html } from './markup.ts';
import { verdictChip, verdictMark } from './symbols.ts';
import { HTML, plain, rich } from './text.ts';

/** The title of the document, in plain text. */
export function documentTitle(input: ReportInput, rows: readonly ResultRow[]): string {
  return plain(titleOf(input, rows, HTML));
}

function figuresOf(row: ResultRow, noun: string, planned: boolean): Html {
  const { pairs, planned_pairs } = row.comparison;
  const items: readonly (readonly [string, string])[] = [
    [
      `${pairs} of ${row.comparison.effect?.sequence == null ? `${planned_pairs}${planned ? ' planned' : ''}` : `at most ${planned_pairs}`} ${noun}s`,
      row.directions,
    ],
    [`mean of ${row.reference}`, row.means.reference],
    [`mean of ${row.arm}`, row.means.arm],
  ];
  const list = items.map(([term, value]) => html`<div><dt>${rich(term)}</dt><dd>${rich(value)}</dd></div>`);
  return html`<dl class="figures">${list}</dl>\n`;
}

function stateOf(input: ReportInput): Html | null {
  const told = stateSentences(input, HTML).map((text) => html`<p>${rich(text)}</p>`);
  const goOn = goOnOf(input);
  if (told.length === 0) return null;
  const more = goOn === null ? null : html`<p>${goOn.words}</p><pre>${goOn.command}</pre>`;
  return html`<div class="state" role="note">${told}${more}</div>\n`;
}

/** The verdict in the fewest words: the title below it has the figures. */
function headline({ comparison, scale, verdict }: ResultRow): string {
  switch (comparison.verdict.kind) {
    case 'equivalent':
      return say('cell.equivalent', { margin: limit(comparison.margin ?? 0, comparison, scale) });
    case 'inconclusive':
      return say('cell.inconclusive', {});
    default:
      return verdict;
  }
}

/** What the title alone does not say of a finding. */
function saysMore({ comparison }: ResultRow): boolean {
  const { verdict, effect, layout } = comparison;
  return effect !== null && (layout?.beyond === false || !['slower', 'faster'].includes(verdict.kind));
}

function findingsList(told: readonly ResultRow[]): Html | null {
  if (told.length === 0) return null;
  const items = told.map(
    (row) => html`<li>${verdictMark(row.comparison.verdict.kind)}<span>${rich(sentence(row.finding))}</span></li>\n`,
  );
  return html`<ul class="findings">${items}</ul>\n`;
}

function warnedOf(input: ReportInput): Html | null {
  const warned = warningsSentence(input, HTML);
  if (warned === null) return null;
  // The count is a link, and so stands by itself.
  const [before = '', after = ''] = say('opening.warnings', { warnings: '\n', codes: warned.codes }).split('\n');
  return html`<p class="about">${rich(before)}<a href="#warnings">${warned.count}</a>${rich(after)}</p>\n`;
}

/** Title, verdict, figures, what stands beside them, warnings and state: the answer, and what it rests on. */
export function opening(input: ReportInput, rows: readonly ResultRow[]): Html {
  const { analysis } = input;
  const { told, only } = findingsOf(input, rows);
  const title = titleOf(input, rows, HTML);
  const own = HTML.prose(analysis.title);
  const about = [...countFindings(input, rows, HTML), ...uncountedFindings(input, HTML)];
  return html`<header>
<p class="kicker">${title.includes(own) ? 'Assay report' : own} · ${trialTime(input, ' · ')}</p>
${only === null ? null : html`<p class="verdict">${verdictChip(only.comparison.verdict.kind, headline(only))}</p>\n`}<h1>${rich(title)}</h1>
${stateOf(input)}${findingsList(only === null || saysMore(only) ? told : [])}${only === null || only.comparison.effect === null ? null : figuresOf(only, blockNoun(input), input.journal.run.imported === null)}<p class="about">${rich(scopeSentence(input, rows))}</p>
${about.map((sentence) => html`<p class="about">${rich(sentence)}</p>\n`)}${analysis.question === null ? null : html`<p class="about"><strong>Question:</strong> ${HTML.prose(analysis.question)}</p>\n`}${warnedOf(input)}</header>
`;
}
