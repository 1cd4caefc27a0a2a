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

test('engines whose intervals do not overlap keep their order whichever of the two ran first', () => {
  for (const { figures } of findings.sizes) {
    for (const { kind, orders } of figures) expect([kind.key, orders.conflicts]).toEqual([kind.key, []]);
  }
});
