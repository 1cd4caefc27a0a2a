/** What a plan knows, from made-up journals, for tests. */
import { analyse } from '../src/analysis/analyse.ts';
import { NO_SOURCES, type PlanSources } from '../src/analysis/spread.ts';
import type { Calibration, Rate } from '../src/journal/calibration.ts';
import type { Journal } from '../src/journal/records.ts';
import { STARTED_UNIX_MS } from './journal-builder.ts';

/** The latest run of the experiment, unless `named`. */
export function sourcesOf(journal: Journal, changes: Partial<PlanSources> = {}): PlanSources {
  const { slices } = journal.run.experiment.design;
  const earlier = {
    directory: 'assay-runs/x',
    analysis: analyse(journal),
    prepared: journal.prepared?.arms ?? [],
    session_ns: slices?.session_ns ?? null,
  };
  return { ...NO_SOURCES, earlier, ...changes };
}

const RATE: Rate = { count: 2, of: 40, interval: [0.006, 0.17] };

/** Of 40 runs of 8 pairs, each of 2 s, whose metric `write` spreads by `sd` with `df` degrees of freedom. */
export function calibrationOf(sd: number | null, df = 280, changes: Partial<Calibration> = {}): Calibration {
  return {
    assay: '0.1.0',
    unix_ms: STARTED_UNIX_MS,
    ...{ machine_id: 'm', workload_id: 'w', title: 'write' },
    ...{ runs: 40, pairs: 8, sessions: false, sequential: false, level: 0.95, pair_seconds: 2 },
    metrics: [
      {
        ...{ metric: 'write', kind: 'ratio', unit: 'ns', primary: true, sd, df },
        ...{ excluded_zero: RATE, false_verdicts: RATE, half_width: 0.01, known: null },
      },
    ],
    ...changes,
  };
}
