import { describe, expect, it } from 'vitest';
import { benchmarkReport, importedJournal, rates } from '../../test/imported-runs.ts';
import { TOOLS } from '../formats/tools.ts';
import { analyse } from './analyse.ts';
import { exitCode } from './outcome.ts';

const text = (mean: number, count: number, more = '') =>
  `${benchmarkReport(rates(mean, count).map((rate) => ({ test: 'x', rate })))}${more}`;

function analysisOf(pairs: number, after: number, more: Parameters<typeof importedJournal>[1] = {}) {
  return analyse(importedJournal({ a: [text(10_000, pairs)], b: [text(after, pairs)] }, more));
}

describe('results that were measured elsewhere', () => {
  it('have change and interval, and no verdict but inconclusive, where the order was not under control', () => {
    const analysis = analysisOf(8, 5000, { margin: 0.9 });
    const [comparison] = analysis.comparisons;
    expect(comparison?.effect?.change).toBeCloseTo(-0.5, 2);
    expect(comparison?.effect?.interval?.[1]).toBeLessThan(-0.4);
    expect(comparison?.verdict).toMatchObject({ kind: 'inconclusive', reason: expect.stringContaining('order') });
    // Nor what would be a claim in another form.
    expect(comparison?.effect).toMatchObject({
      ...{ detectable: null, equivalence: null, wilcoxon_p: null },
      directions: { up: 0, down: 8, p_value: null },
    });
    expect(exitCode(analysis, { requireConclusive: false })).toBe(0);
  });

  it('are given no advice that only an experiment can follow', () => {
    const report = (share: number) => `ops_sec\tstalled_share\ttest\n100\t${share}\tx\n101\t${share}\tx\n`;
    const analysis = analyse(importedJournal({ a: [report(0)], b: [report(0.5)] }));
    const reasons = analysis.comparisons.flatMap(({ verdict }) => ('reason' in verdict ? [verdict.reason] : []));
    expect(reasons).toContainEqual(expect.stringMatching(/a ratio needs positive values$/));
    expect(analysis.warnings).toContainEqual(
      expect.objectContaining({ code: 'few-pairs', remedy: 'Measure each side at least 6 times.' }),
    );
  });

  it('have the verdicts of a run where the sides ran in turns', () => {
    const verdict = (after: number, margin: number | null = null) =>
      analysisOf(8, after, { interleaved: true, margin }).comparisons[0]?.verdict.kind;
    expect([verdict(5000), verdict(20_000), verdict(10_010, 0.05)]).toEqual(['slower', 'faster', 'equivalent']);
  });

  it('have none where repetitions share a process', () => {
    const tool = TOOLS.benchmark_sh as { own_processes?: boolean };
    tool.own_processes = false;
    try {
      expect(analysisOf(8, 5000).comparisons[0]?.verdict).toMatchObject({
        kind: 'inconclusive',
        reason: expect.stringContaining('share one process'),
      });
    } finally {
      tool.own_processes = true;
    }
  });

  it('have neither interval nor verdict with one repetition a side', () => {
    const [comparison] = analysisOf(1, 5000, { interleaved: true }).comparisons;
    expect(comparison).toMatchObject({
      effect: null,
      verdict: { kind: 'none', reason: 'one pair is not enough: an interval needs at least two' },
    });
  });

  it('have no time that anybody took, and no seed', () => {
    const analysis = analysisOf(3, 9000);
    expect(analysis).toMatchObject({ trial_seconds: null, seed: null, state: 'complete' });
    expect(analysis.trials.every(({ started_unix_ms, wall_ns }) => started_unix_ms === null && wall_ns === null)).toBe(
      true,
    );
    expect(analysis.checks.made).toBe(0);
  });

  it('are invalid where a result failed that decides', () => {
    const rows = rates(10_000, 3).map((rate, at) => ({ test: 'x', rate: at === 1 ? ('failed' as const) : rate }));
    const analysis = analyse(importedJournal({ a: [text(10_000, 3)], b: [benchmarkReport(rows)] }));
    expect(analysis.state).toBe('invalid');
    expect(analysis.problems[0]).toBe('b in pair 2 failed: metric x.ops_per_second: its result failed: the job failed');
    expect(exitCode(analysis, { requireConclusive: false })).toBe(3);
  });

  it('bring their warnings along', () => {
    const { warnings } = analyse(importedJournal({ a: [text(10_000, 9)], b: [text(9000, 8)] }));
    expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['order-not-controlled', 'unpaired']));
  });
});
