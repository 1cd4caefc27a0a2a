import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../../test/golden.ts';
import { outlineOf, type PageElement, pageElement } from '../../../test/html-page.ts';
import { journalOf } from '../../../test/journal-builder.ts';
import type { RanJournal } from '../../../test/ran.ts';
import { manyTrials, REPORT_CASES } from '../../../test/report-cases.ts';
import { analyse } from '../../analysis/analyse.ts';
import type { Journal } from '../../journal/records.ts';
import { PLOT_RULES } from '../rules-plots.ts';
import { htmlReport } from './report.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

function pageOf(journal: Journal): string {
  const options = { color: false, quiet: false, width: 120 };
  return htmlReport({ journal, analysis: analyse(journal), directory: "assay-runs/it's here", options });
}

function caseOf(name: string): Journal {
  const build = REPORT_CASES[name];
  if (build === undefined) throw new Error(`no case ${name}`);
  return build();
}

const made = new Map<string, string>();
/** The page of a case, made once. */
function pageOfCase(name: string): string {
  const page = made.get(name) ?? pageOf(caseOf(name));
  made.set(name, page);
  return page;
}

const read = new Map<string, PageElement>();
/** The same, read once: nobody changes it. */
function rootOfCase(name: string): PageElement {
  const root = read.get(name) ?? pageElement(pageOfCase(name));
  read.set(name, root);
  return root;
}

test('the page of an import speaks of no plan, and of nothing that was executed', () => {
  const text = rootOfCase('imported-in-turns').textContent ?? '';
  expect(text).toContain('8 of 8 pairs');
  for (const words of ['planned pairs', 'this machine', 'with-binaries', 'rules of rejection']) {
    expect(text).not.toContain(words);
  }
});

/** Everything that a page may be made of. */
const ELEMENTS = new Set(
  [
    'html head meta title style body main header nav section footer h1 h2 h3 h4 p ul li dl div dt dd a code pre strong em br',
    'table caption thead tbody tr th td figure figcaption details summary span',
    'svg desc g path circle line rect text tspan',
  ]
    .join(' ')
    .split(' '),
);
const ATTRIBUTES =
  /^(lang|charset|http-equiv|content|name|id|class|href|scope|role|tabindex|aria-(label|hidden)|style|viewBox|width|height|x|y|[xy][12]|c[xy]|r|d|dx|dy|transform|fill(-.*)?|stroke(-.*)?|font-variant|text-anchor|opacity|paint-order|pointer-events)$/;

/** What in a page is not of its own making. */
function strangeParts(page: string): readonly string[] {
  const strange: string[] = [];
  for (const element of pageElement(page).querySelectorAll('*')) {
    if (!ELEMENTS.has(element.localName)) strange.push(`<${element.localName}>`);
    for (const name of element.getAttributeNames()) {
      const value = element.getAttribute(name) ?? '';
      const odd =
        !ATTRIBUTES.test(name) ||
        (name === 'href' && !/^#[a-z]+(?:-\d+)?$/.test(value)) ||
        (name === 'style' && !/^--verdict: var\(--[a-z]+\)$/.test(value));
      if (odd) strange.push(`${element.localName} ${name}="${value}"`);
    }
  }
  return [...strange, ...(page.match(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu) ?? [])];
}

function plotsOf(root: PageElement): readonly PageElement[] {
  return [...root.querySelectorAll('svg[role="img"]')];
}

function timePlot(root: PageElement): PageElement | undefined {
  return plotsOf(root).find((plot) => /over time/.test(plot.querySelector('title')?.textContent ?? ''));
}

test.each([
  ...['slower', 'several-primaries', 'three-arms', 'rejected', 'failed', 'incomplete', 'extremes', 'hostile'],
  ...['counters', 'counters-unsupported', 'counted', 'counted-ranged', 'counted-hostile', 'machine-code'],
  ...['sessions', 'sequential', 'sequential-sessions'],
])('%s reads well', (name) => {
  expectGolden(`test/golden/report/${name}.html.txt`, outlineOf(pageOfCase(name)));
});

test.each(['three-arms', 'rejected', 'hostile', 'counted'])('%s is the same every time', (name) => {
  expect(pageOf(caseOf(name))).toBe(pageOfCase(name));
});

describe.each(Object.keys(REPORT_CASES))('%s', (name) => {
  const page = pageOfCase(name);
  const root = rootOfCase(name);

  test('has nothing but its own elements and attributes', () => {
    expect(strangeParts(page)).toEqual([]);
    expect(page).not.toMatch(/url\(|@import|NaN|Infinity|undefined|\[object/);
  });

  test('has headings in order and plots with a name and a description', () => {
    const levels = [...root.querySelectorAll('h1,h2,h3,h4')].map(({ localName }) => Number(localName.slice(1)));
    levels.forEach((level, index) => {
      expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    });
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    const plots = plotsOf(root);
    for (const plot of plots) {
      expect(plot.querySelector('title')?.textContent).toMatch(/\w/);
      expect(plot.querySelector('desc')?.textContent).toMatch(/\d/);
    }
    expect(plots.length).toBeGreaterThan(0);
    for (const svg of root.querySelectorAll('svg')) {
      expect(svg.getAttribute('role') ?? svg.getAttribute('aria-hidden')).toMatch(/^(img|true)$/);
    }
  });

  test('allows nothing that is not in it', () => {
    expect(root.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'",
    );
  });

  test('fits', () => expect(Buffer.byteLength(page)).toBeLessThan(1_000_000));
});

test('a run without a result shows no effect', () => {
  for (const name of ['failed', 'incomplete']) {
    const root = rootOfCase(name);
    expect(root.querySelector('#results table')).toBeNull();
    expect(root.textContent).not.toMatch(/Effect of every/);
  }
});

/** What a spreadsheet takes for a number, an empty cell, or what stands where there is none. */
const NUMERIC = /^(?:[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?|-|exact|< 0\.001)?$/;

test.each(['slower', 'several-primaries', 'counted-ranged', 'controls', 'ablations', 'machine-code', 'extremes'])(
  'tables of %s have one number a cell, without a unit, and as many cells as heads',
  (name) => {
    const root = rootOfCase(name);
    const cells = [...root.querySelectorAll('tbody td.right')].map((cell) => cell.textContent ?? '');
    expect(cells.length).toBeGreaterThan(20);
    for (const cell of cells) expect(cell).toMatch(NUMERIC);
    for (const table of root.querySelectorAll('table')) {
      const heads = table.querySelectorAll('thead th').length;
      if (heads === 0) continue;
      for (const row of table.querySelectorAll('tbody tr')) expect([...row.children]).toHaveLength(heads);
      expect(table.querySelectorAll('[colspan],[rowspan]')).toHaveLength(0);
    }
    const others = [...root.querySelectorAll('tbody td')].filter(
      (cell) => !/right/.test(cell.getAttribute('class') ?? ''),
    );
    for (const cell of others) expect(cell.textContent).not.toMatch(/^[-+]\d[\d.]* %|^\[[-+]/);
  },
);

/** One or several of the sentences on plots, their blanks filled. */
function sentencesOf(rules: readonly string[]): RegExp {
  const patterns = rules.map((sentence) =>
    sentence
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]+'),
  );
  return new RegExp(`^(?:(?:${patterns.join('|')})(?:[ ;]+|$))+$`);
}

const ALL = Object.values(PLOT_RULES).map(({ sentence }) => sentence);
const ANY = sentencesOf(ALL);
/** Without those that are hardly more than blanks, which would match anything. */
const WORDED = sentencesOf(ALL.filter((sentence) => /[a-z]{4}/.test(sentence.replace(/\{\w+\}/g, ''))));

test.each([...Object.keys(REPORT_CASES), 'many trials'])('%s: what plots say stands in docs/wording.md', (name) => {
  const root = name === 'many trials' ? pageElement(pageOf(manyTrials(200, 2))) : rootOfCase(name);
  const textsOf = (elements: Iterable<PageElement>): readonly string[] =>
    [...elements].map((element) => (element.textContent ?? '').replaceAll('\u00a0', ' '));
  const worded = textsOf([...root.querySelectorAll('figcaption > p'), ...root.querySelectorAll('svg.plot > title')]);
  expect(worded.length).toBeGreaterThan(1);
  for (const text of worded) expect(text).toMatch(WORDED);
  for (const text of textsOf(root.querySelectorAll('svg.plot desc, svg.plot g title'))) expect(text).toMatch(ANY);
});

test('rejected trials are marked, in the plots and in words', () => {
  const root = rootOfCase('rejected');
  const time = timePlot(root);
  const tips = [...(time?.querySelectorAll('g > * > title') ?? [])].map((title) => title.textContent ?? '');
  expect(tips).toHaveLength(36);
  expect(tips.filter((tip) => /; rejected: /.test(tip))).toHaveLength(2);
  expect(tips.filter((tip) => /; partner rejected/.test(tip))).toHaveLength(2);
  expect(root.textContent).toContain('limit of a rule of rejection');
});

/** Puts `text` wherever the journal has something that a person or a program could set, names included. */
function poisoned(journal: RanJournal, text: string): RanJournal {
  const name = `a${text}`;
  const renamed = (arm: string): string => (arm === 'a' ? name : arm);
  const { run, prepared } = journal;
  const [first, ...rest] = run.experiment.metrics;
  if (prepared === null || first === undefined) throw new Error('a prepared run with a metric');
  return {
    ...journal,
    run: {
      ...run,
      assay: text,
      versions: { [text]: text },
      source: { ...run.source, name: text },
      machine: {
        ...run.machine,
        ...{ cpu_model: text, kernel: text, governor: text, file_system: text, node: text },
        storage: {
          ...{ source: 'block', layers: [] },
          disks: [{ kind: 'scsi', model: text, bytes: 1, rotational: true }],
        },
      },
      plan: {
        ...run.plan,
        phases: run.plan.phases.map((phase) => ({ ...phase, blocks: phase.blocks.map((arms) => arms.map(renamed)) })),
      },
      experiment: {
        ...run.experiment,
        title: text,
        question: text,
        reference: renamed(run.experiment.reference),
        arms: [
          { ...run.experiment.arms[0], name },
          { ...run.experiment.arms[1], env: { [`E${text}`]: text } },
        ],
        metrics: [{ ...first, name: text, unit: text }, ...rest],
      },
      earlier: [{ name: text, started_unix_ms: 0, finished: true }],
    },
    prepared: {
      ...prepared,
      arms: prepared.arms.map((arm) => ({
        ...arm,
        arm: renamed(arm.arm),
        command: [text, text],
        files: arm.files.map((file) => ({ ...file, path: text, sha256: text })),
        provenance: { [text]: text },
        warnings: [{ code: text, message: text, remedy: text }],
      })),
    },
    trials: journal.trials.map((trial, index) => ({
      ...trial,
      arm: renamed(trial.arm),
      metrics: { ...trial.metrics, [text]: 100 + (index % 5) },
      checks: [{ name: text, ok: true, detail: text }],
    })),
  };
}

test('what strangers write is text wherever it stands', () => {
  const journal = journalOf({ values: { write: { a: [100, 102, 99, 101], b: [110, 111, 112, 109] } } });
  const strangers = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</title><script>x</script>',
      '</style><script>x</script>',
      ']]><svg onload=x>',
      '<!--',
      '\uE000<b>\uE001',
      '&lt;b&gt;',
      'javascript:x',
      '\u202e\u2066\u200b\u001b[2J\0',
      '`',
      '__proto__',
    ),
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '\n', 'b'), minLength: 1 }),
  );
  fc.assert(
    fc.property(strangers, (text) => {
      expect(strangeParts(pageOf(poisoned(journal, text)))).toEqual([]);
    }),
    { numRuns: FULL ? 30 : 10 },
  );
});

test('16 pairs of many metrics stay below 1 MB, and the page says what it left out', () => {
  const values = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [
      `測試-metric-${index}`,
      {
        a: Array.from({ length: 16 }, (_, at) => 100 + (at % 7)),
        b: Array.from({ length: 16 }, (_, at) => 103 + (at % 5)),
      },
    ]),
  );
  const page = pageOf(journalOf({ values, metrics: {} }));
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  expect(page).toMatch(/Plots of \d+ further metrics are left out/);
});

test('2,000 trials of eight metrics stay below 3 MB, with every trial drawn and counted', () => {
  const page = pageOf(manyTrials(1000, 8));
  expect(Buffer.byteLength(page)).toBeLessThan(3_000_000);
  const root = pageElement(page);
  const time = timePlot(root);
  const dotsOf = (plot: PageElement | undefined): number =>
    [...(plot?.querySelectorAll('path') ?? [])].flatMap((path) => path.getAttribute('d')?.match(/h0/g) ?? []).length;
  const partners = time?.querySelectorAll('circle').length ?? 0;
  const crosses = time?.querySelectorAll('path[transform]').length ?? 0;
  expect(dotsOf(time)).toBeGreaterThan(1900);
  expect(crosses).toBeGreaterThan(10);
  expect(dotsOf(time) + 2 * partners).toBe(2000);
  const pairs = plotsOf(root).find((plot) => /Effect of every/.test(plot.querySelector('title')?.textContent ?? ''));
  expect(dotsOf(pairs)).toBe(dotsOf(time) / 2);
  const order = plotsOf(root).find((plot) => /Order effect/.test(plot.querySelector('title')?.textContent ?? ''));
  const ticks = [...(order?.querySelectorAll('path') ?? [])].flatMap(
    (path) => path.getAttribute('d')?.match(/v[1-9]/g) ?? [],
  );
  expect(ticks).toHaveLength(dotsOf(pairs));
  expect(root.textContent).toContain('2000 trials in the order in which they ran');
});
