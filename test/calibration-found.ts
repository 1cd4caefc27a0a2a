/** Makes what a calibration found, for tests of those that read it. */
import { exactRate } from '../src/analysis/stats/exact-counts.ts';
import type { Calibration, MetricCalibration, Rate } from '../src/journal/calibration.ts';

export function rateFound(count: number, of: number): Rate {
  return { count, of, interval: exactRate(count, of, 0.95) };
}

/** 40 A/A runs of 16 pairs of one metric, 2 of which excluded zero. */
export function calibrationFound(
  changes: Partial<Calibration> = {},
  metric: Partial<MetricCalibration> = {},
): Calibration {
  return {
    ...{ assay: '0.1.0', unix_ms: Date.UTC(2024, 0, 2), machine_id: '12'.repeat(16), workload_id: 'ef'.repeat(32) },
    ...{ title: 'write path', runs: 40, pairs: 16, sessions: false, sequential: false, level: 0.95, pair_seconds: 1.5 },
    metrics: [
      {
        ...{ metric: 'write', kind: 'ratio', unit: 'ns', primary: true, sd: 0.012, df: 600 },
        ...{ excluded_zero: rateFound(2, 40), false_verdicts: rateFound(1, 40), half_width: 0.0064, known: null },
        ...metric,
      },
    ],
    ...changes,
  };
}
