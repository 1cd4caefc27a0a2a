/** The head of the page: the verdict first, then what it rests on. */
import { countFindings, findingsOf, scopeSentence, sentence } from '../findings.ts';
import type { ReportInput } from '../input.ts';
import { formatDuration, formatTime } from '../numbers.ts';
import { blockNoun, type ResultRow } from '../row.ts';
import { say } from '../rules.ts';
import { resumeCommand, stateSentences } from '../statements.ts';
import { type Html, html } from './markup.ts';
import { verdictChip } from './symbols.ts';
import { HTML, plain, rich } from './text.ts';

/** The title of the document, in plain text. */
export function documentTitle(input: ReportInput, rows: readonly ResultRow[]): string {
  const { only } = findingsOf(input, rows);
  return plain(only === null ? HTML.prose(input.analysis.title) : only.finding);
}

function figuresOf(row: ResultRow, noun: string): Html {
  const { effect, pairs, planned_pairs } = row.comparison;
  if (effect === null) return html``;
  const items: readonly (readonly [string, string])[] = [
    ['change', row.change],
    [row.level === '' ? 'interval' : `${row.level} interval`, row.interval],
    [`${pairs} of ${planned_pairs} planned ${noun}s`, row.directions],
    [`mean of ${row.reference}`, row.means.reference],
    [`mean of ${row.arm}`, row.means.arm],
  ];
  const list = items.map(([term, value]) => html`<div><dt>${rich(term)}</dt><dd>${rich(value)}</dd></div>`);
  return html`<dl class="figures">${list}</dl>`;
}

function stateOf(input: ReportInput): Html {
  const told = stateSentences(input, HTML).map((text) => html`<p>${rich(text)}</p>`);
  const resume = resumeCommand(input);
  if (told.length === 0) return html``;
  const goOn = resume === null ? null : html`<p>${say('state.go-on', { command: '' }).trim()}</p><pre>${resume}</pre>`;
  return html`<div class="state" role="note">${told}${goOn}</div>\n`;
}

/** Title or finding, verdicts, figures, question and state. */
export function opening(input: ReportInput, rows: readonly ResultRow[]): Html {
  const { analysis } = input;
  const noun = blockNoun(input);
  const { told, only } = findingsOf(input, rows);
  const title = HTML.prose(analysis.title);
  const question =
    analysis.question === null
      ? null
      : html`<p class="about"><strong>Question:</strong> ${HTML.prose(analysis.question)}</p>`;
  const kicker = html`<p class="kicker">${only === null ? 'Assay report' : title} · ${formatTime(analysis.started_unix_ms)} · ${formatDuration(analysis.trial_seconds)} of trials</p>`;
  const counts = countFindings(input, rows, HTML).map((told) => html`<p class="about">${rich(told)}</p>`);
  const scope = html`<p class="scope">${rich(scopeSentence(input, rows))}</p>`;
  if (only !== null) {
    return html`<header>
${kicker}
<p class="verdict">${verdictChip(only.comparison.verdict.kind, only.verdict)}</p>
<h1>${rich(only.finding)}</h1>
${scope}${question}
${figuresOf(only, noun)}
${counts}</header>
`;
  }
  const findings = told.map(
    (row) =>
      html`<li>${verdictChip(row.comparison.verdict.kind, row.verdict)}<br>${rich(sentence(row.finding))}</li>\n`,
  );
  return html`<header>
${kicker}
<h1>${title}</h1>
${stateOf(input)}${findings.length === 0 ? null : html`<ul class="findings">${findings}</ul>`}
${counts}${scope}${question}
</header>
`;
}
