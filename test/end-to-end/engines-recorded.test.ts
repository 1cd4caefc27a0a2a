/** A study of real engines that ran: what its journals say is told as it was then. */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { studiedEngines } from '../../src/engines.ts';
import { enginesReport } from '../../src/report/engines-formats.ts';
import type { EngineFindings } from '../../src/storage/engines/analysis.ts';
import { expectGolden } from '../golden.ts';

const RECORDED = join(import.meta.dirname, '..', 'recorded', 'engines');
const look = { color: false, width: 120 };

let findings: EngineFindings;
beforeAll(async () => {
  findings = await studiedEngines(RECORDED);
});

test.each([
  ['text', 'txt'],
  ['markdown', 'md'],
  ['csv', 'csv'],
] as const)('as %s', (format, ending) => {
  expectGolden(`test/golden/engines/recorded.${ending}`, enginesReport(format, { assay: '0.1.0', findings }, look));
});

test('the IO-bound half read from the device, and the cached half did not', () => {
  const reads = findings.sizes.map(({ size, figures }) => {
    const found = figures.find(({ kind }) => kind.key === 'point_reads');
    return {
      bound: size.memory_limit_bytes !== null,
      means: Object.values(found?.engines ?? {}).map(({ mean }) => mean),
    };
  });
  expect(reads.map(({ bound }) => bound)).toEqual([false, true]);
  for (const { bound, means } of reads) {
    expect(means).toHaveLength(6);
    for (const mean of means) expect([bound, (mean ?? -1) > 0.1]).toEqual([bound, bound]);
  }
});

test('order effects are tested in both sizes, and no two engines that are told apart change places with the order', () => {
  for (const { orders } of findings.sizes) {
    expect(orders.tested).toBeGreaterThan(300);
    expect(orders.told_apart).toBeGreaterThan(50);
    expect([orders.changed, orders.one_order]).toEqual([0, 0]);
  }
});
