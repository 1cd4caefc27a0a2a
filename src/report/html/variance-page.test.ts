import { describe, expect, it } from 'vitest';
import { pageElement } from '../../../test/html-page.ts';
import { importResults } from '../../storage/import-results.ts';
import { studyVariance } from '../../storage/variance.ts';
import type { VarianceInput } from '../variance-input.ts';
import { variancePage } from './variance-page.ts';

/** Set-ups of two steps, written by hand in the form of benchmark.sh; a name may be a stranger's. */
function inputOf(names: readonly string[]): VarianceInput {
  const rows = (test: string, rates: readonly number[]) => rates.map((rate) => `${rate}\t${test}`).join('\n');
  const text = `ops_sec\ttest\n${rows('readrandom.t4', [98, 100, 102])}\n${rows('overwrite.t4', [90, 100, 110])}\n`;
  const imported = importResults(
    {
      root: 'root',
      paths: names.map((name) => `${name}.nt4/sum.byrx.txt`),
      runs: [],
      read: () => ({ ok: true, text }),
    },
    { steps: null, metric: 'ops_sec', layout: null, workload: null, threads: null, mostSteps: 100 },
  );
  const rules = { steps: imported.steps, deviation: 'sample', limit: 0.03, level: 0.95 } as const;
  const variance = studyVariance(imported.series, rules);
  return { assay: '0', title: null, source: 'elsewhere', metric: 'ops_sec', pairs: 16, imported, variance };
}

describe('the page of a study of variance', () => {
  it('maps the coefficients, and marks those above the limit', () => {
    const page = pageElement(variancePage(inputOf(['a', 'b'])));
    const map = page.querySelector('svg.plot');
    expect(map?.getAttribute('aria-label')).toBe('Coefficients of byrx');
    expect(map?.querySelector('desc')?.textContent).toBe(
      [
        'a, 4 threads, readrandom: 0.020; a, 4 threads, overwrite: 0.100',
        'b, 4 threads, readrandom: 0.020; b, 4 threads, overwrite: 0.100',
      ].join('; '),
    );
    const outlined = [...(map?.querySelectorAll('[stroke="var(--limit)"] rect') ?? [])];
    expect(outlined).toHaveLength(2);
    expect([...page.querySelectorAll('section')].length).toBeGreaterThan(6);
  });

  it('has bars for each number of threads, as long as the coefficients', () => {
    const page = pageElement(variancePage(inputOf(['a', 'b'])));
    const bars = [...page.querySelectorAll('svg.plot')].find(
      (svg) => svg.getAttribute('aria-label') === 'byrx, 4 threads',
    );
    const widths = [...(bars?.querySelectorAll('[fill="var(--bar)"] rect') ?? [])].map((bar) =>
      Number(bar.getAttribute('width')),
    );
    expect(widths).toHaveLength(4);
    expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(5, 1);
    expect(bars?.querySelectorAll('[stroke="var(--limit)"]')).toHaveLength(1);
  });

  it('shows what strangers wrote as text', () => {
    const written = variancePage(inputOf(['<script>alert(1)<', '"onload=x']));
    const page = pageElement(written);
    expect(page.querySelectorAll('script')).toHaveLength(0);
    expect(written).not.toContain('<script');
    expect(page.textContent).toContain('<script>alert(1)<');
  });

  it('has no map of what no map can show', () => {
    const many = inputOf(Array.from({ length: 2001 }, (_, at) => `s${at}`));
    expect(pageElement(variancePage(many)).querySelector('svg.plot')).toBeNull();
  });
});
