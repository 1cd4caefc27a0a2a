import { describe, expect, test } from 'vitest';
import { type PageElement, pageElement } from '../../../test/html-page.ts';
import { journalOf } from '../../../test/journal-builder.ts';
import { MODEL, SLICE_CASES, sessions } from '../../../test/report-cases-slices.ts';
import { around } from '../../../test/report-values.ts';
import { analyse } from '../../analysis/analyse.ts';
import type { Journal } from '../../journal/records.ts';
import { htmlReport } from './report.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

function pageOf(journal: Journal): string {
  const options = { color: false, quiet: false, width: 120 };
  return htmlReport({ journal, analysis: analyse(journal), directory: null, options });
}

function plotsOf(page: string, title: RegExp): readonly PageElement[] {
  const plots = [...pageElement(page).querySelectorAll('svg[role="img"]')];
  return plots.filter((plot) => title.test(plot.querySelector('title')?.textContent ?? ''));
}

/** Dots that are drawn as one path. */
function denseDots(plot: PageElement | undefined): number {
  return [...(plot?.querySelectorAll('path') ?? [])].flatMap((path) => path.getAttribute('d')?.match(/h0/g) ?? [])
    .length;
}

/** As read: blanks that must not break are blanks. */
function textOf(page: string): string {
  return (pageElement(page).textContent ?? '').replaceAll('\u00a0', ' ');
}

describe('the page of sessions', () => {
  test('draws every slice of the median session, and of the one furthest from it', () => {
    const journal = SLICE_CASES.sessions();
    const page = pageOf(journal);
    const plots = plotsOf(page, /^Session \d+, slice by slice: write/);
    const { slices } = analyse(journal).comparisons[0] ?? {};
    expect(plots.map((plot) => plot.querySelector('title')?.textContent)).toEqual(
      [slices?.median_session, slices?.extreme_session].map(
        (place) => `Session ${place?.block}, slice by slice: write`,
      ),
    );
    const drawn = (plot: PageElement | undefined) =>
      denseDots(plot) + (plot?.querySelectorAll('path[transform]').length ?? 0);
    // Ticks of the axes are paths with a transform, too: there are some ten of them.
    expect(drawn(plots[0])).toBeGreaterThanOrEqual(240);
    expect(denseDots(plots[1])).toBe(240);
    expect(textOf(page)).toMatch(/Session 7, the one whose change is the median/);
  });

  test('16 sessions of 400 quads stay below 1 MB', () => {
    const page = pageOf(sessions({ sessions: 16, model: { ...MODEL, quads: 400 }, sides: [] }));
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    expect(denseDots(plotsOf(page, /slice by slice: write/)[0])).toBeGreaterThan(1500);
  });

  test.runIf(FULL)('400 sessions stay below 3 MB, without whiskers and tool-tips', () => {
    const page = pageOf(sessions({ sessions: 400, model: { ...MODEL, quads: 12 }, sides: [] }));
    expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
    expect(denseDots(plotsOf(page, /^Typical slice of every session: write/)[0])).toBe(400);
    expect(textOf(page)).not.toContain('The line through a mark');
  });

  test.runIf(FULL)('a session of very many quads is thinned, and the page says so', () => {
    const page = pageOf(sessions({ sessions: 4, model: { ...MODEL, quads: 3000 }, sides: [] }));
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    expect(textOf(page)).toContain('One quad of every 3 is drawn');
    expect(denseDots(plotsOf(page, /slice by slice: write/)[0])).toBeLessThanOrEqual(4000);
  });
});

describe('the page of a sequential run', () => {
  test('draws every look, and the last one as the verdict', () => {
    const page = pageOf(SLICE_CASES.sequential());
    const [plot] = plotsOf(page, /at every look/);
    const tips = [...(plot?.querySelectorAll('g > * > title') ?? [])].map((title) => title.textContent ?? '');
    expect(tips).toHaveLength(9);
    expect(tips.at(-1)).toMatch(/^22 pairs: \+2\.9.%/);
    expect(textOf(page)).toContain('ended after 22 pairs of 40 at most, when every primary metric was decided');
  });

  test('draws very many looks as a band, and lists some of them', () => {
    const values = { a: around(1e6, 0.05, 1, 400), b: around(1e6, 0.05, 2, 400) };
    const page = pageOf(journalOf({ values: { write: values }, sequential: { min: 6, max: 400 } }));
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    const [plot] = plotsOf(page, /at every look/);
    expect(plot?.querySelectorAll('circle')).toHaveLength(1);
    expect(textOf(page)).toMatch(/24 of them are listed, results\.json has all/);
    expect(pageElement(page).querySelectorAll('#looks tbody tr')).toHaveLength(24);
  });

  test('that failed does not claim to have been decided', () => {
    const journal = SLICE_CASES.sequential();
    const trials = journal.trials.slice(0, 21);
    const [last] = trials.slice(-1);
    if (last === undefined) throw new Error('a journal without trials');
    const failure = { kind: 'signal', signal: 'SIGSEGV' } as const;
    const failed = { ...journal, trials: [...trials.slice(0, -1), { ...last, failure }] };
    const page = textOf(pageOf({ ...failed, end: { kind: 'end', unix_ms: 0, reason: { kind: 'trial_failed' } } }));
    expect(page).toContain('Invalid run');
    expect(page).not.toMatch(/every primary metric was decided/);
  });

  test('whose change is a hundredfold keeps its intervals on the axis', () => {
    const values = { a: around(1e3, 0.2, 1, 12), b: around(1e5, 0.2, 2, 12) };
    const page = pageOf(
      journalOf({ values: { write: values }, sequential: { min: 4, max: 12 }, decision: { threshold: 0.5 } }),
    );
    const [plot] = plotsOf(page, /at every look/);
    const ends = [...(plot?.querySelectorAll('line') ?? [])].flatMap((line) =>
      ['y1', 'y2'].map((name) => Number(line.getAttribute(name))),
    );
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends) expect(end >= 0 && end <= 250).toBe(true);
  });
});
