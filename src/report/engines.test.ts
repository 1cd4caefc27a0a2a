import { describe, expect, test } from 'vitest';
import { enginesInput } from '../../test/engines-input.ts';
import { expectGolden } from '../../test/golden.ts';
import { pageElement } from '../../test/html-page.ts';
import { enginesReport } from './engines-formats.ts';
import { enginesDocumentSchema } from './engines-schema.ts';
import { enginesPage } from './html/engines-page.ts';

const input = enginesInput();
const look = { color: false, width: 120 };

describe('the report of a study of engines', () => {
  test.each([
    ['text', 'txt'],
    ['markdown', 'md'],
    ['csv', 'csv'],
    ['json', 'json'],
  ] as const)('as %s', (format, ending) => {
    expectGolden(`test/golden/engines/study.${ending}`, enginesReport(format, input, look));
  });

  test('fits a narrow terminal, where tables become lines', () => {
    const lines = enginesReport('text', input, { color: false, width: 60 }).split('\n');
    expect(lines.filter((line) => [...line].length > 60)).toEqual([]);
  });

  test('a write rate without durability is marked where it stands, and one with it is not', () => {
    const rows = enginesReport('markdown', input, look)
      .split('\n')
      .filter((line) => /^\| `(tree|pages|hash)` \| \d+/.test(line));
    expect(rows[0]).toMatch(/^\| `tree` \| \d+ † \| \d+ † \| \d+ \| \d+ \| \d+ † \| [\d.]+ \|$/);
    expect(rows[1]).toMatch(/^\| `pages` \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ \| [\d.]+ \|$/);
  });

  test('the document is what the schema says', () => {
    expect(enginesDocumentSchema.parse(JSON.parse(enginesReport('json', input, look))).sizes).toHaveLength(2);
  });
});

describe('the page', () => {
  const page = pageElement(enginesPage(input));

  test('has bars of the main figures, described for those who do not see them', () => {
    const plots = [...page.querySelectorAll('svg.plot')];
    const names = plots.map((plot) => plot.getAttribute('aria-label'));
    expect(names).toContain('cached, insert');
    expect(names).toContain('io_bound, point reads');
    // All are zero there.
    expect(names).not.toContain('cached, point reads');
    expect(plots[0]?.querySelector('desc')?.textContent).toMatch(/^tree: \d+ † \[/);
  });

  test('shows the names of strangers as text', () => {
    const { findings } = input;
    const hostile = { ...findings, study: { ...findings.study, title: '<script>alert(1)</script>' } };
    const text = enginesPage({ ...input, findings: hostile });
    expect(text).not.toContain('<script>');
    expect(pageElement(text).querySelector('h1')?.textContent).toContain('<script>alert(1)</script>');
  });
});
