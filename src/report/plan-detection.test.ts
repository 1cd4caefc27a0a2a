import { expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { calibrationOf, sourcesOf } from '../../test/plan-sources.ts';
import { gitSource } from '../../test/report-cases-beside.ts';
import { around } from '../../test/report-values.ts';
import { SLICES } from '../../test/session-slices.ts';
import { detect, metricsAsked, reachWithin } from '../analysis/detection.ts';
import { forecast } from '../analysis/forecast.ts';
import type { SliceSummary } from '../analysis/slice-analysis.ts';
import { NO_SOURCES, type PlanSources } from '../analysis/spread.ts';
import type { Journal } from '../journal/records.ts';
import { planText } from './plan.ts';

const WRITE = { before: around(1e6, 0.02, 1), after: around(1.01e6, 0.02, 2) };
const PERCENT = { value: 0.01, percent: true };

/** All that the plan says below its order of trials, where both questions are asked. */
function told({ run }: Journal, sources: PlanSources, change = PERCENT, seconds = 600): string {
  const { experiment, plan } = run;
  const asked = metricsAsked(experiment, change);
  if ('message' in asked) throw new Error(asked.message);
  const text = planText({
    ...{ experiment, plan, seed_given: true, from: sources.earlier?.directory ?? null },
    forecast: forecast(experiment, plan, sources),
    detection: detect(experiment, plan, sources, asked),
    within: reachWithin(experiment, plan, sources, seconds),
    warnings: [],
  });
  return text.slice(text.indexOf('\ntime: ') + 1);
}

const golden = (name: string, text: string) => expectGolden(`test/golden/plan/${name}.txt`, text);

const paired = (options: Partial<JournalOptions> = {}) => journalOf({ values: { write: WRITE }, ...options });

test('pairs', () => {
  const journal = paired({ warmup: 2 });
  golden('pairs', told(journal, sourcesOf(journal)));
});

test('pairs that a calibration tells of', () => {
  golden('calibrated', told(paired(), { ...NO_SOURCES, calibration: calibrationOf(0.012) }));
});

test('several metrics of both kinds, of which one is not primary', () => {
  const memory = { before: around(1e6, 0.02, 3), after: around(1e6, 0.02, 4) };
  const journal = journalOf({
    values: { write: WRITE, memory, cpu: WRITE },
    metrics: { memory: { kind: 'difference', unit: 'bytes' }, cpu: { primary: false, margin: 0.02 } },
  });
  golden('kinds', told(journal, sourcesOf(journal), { value: 8192, percent: false }));
});

test('blocks of three arms', () => {
  const journal = journalOf({ values: { write: { ...WRITE, other: around(1.02e6, 0.03, 5) } } });
  golden('blocks', told(journal, sourcesOf(journal)));
});

test('a run that may end early', () => {
  const journal = paired({ sequential: { min: 8, max: 16 } });
  golden('sequential', told(journal, sourcesOf(journal)));
});

test('several builds', () => {
  const journal = paired({
    ...{ sources: { before: gitSource('v1'), after: gitSource('v2') }, builds: 4 },
    values: { write: { ...WRITE, after: WRITE.after.map((value, i) => value * (1 + (i % 4) / 200)) } },
  });
  const arms = (journal.prepared?.arms ?? []).map((arm) => ({ ...arm, provenance: { build_seconds: '300.0' } }));
  const sources = sourcesOf(journal);
  const earlier = sources.earlier && { ...sources.earlier, prepared: arms };
  golden('builds', told(journal, { ...sources, earlier }, { value: 0.02, percent: true }));
});

/** Sessions of 160 quads of 6 ms, after a set-up of 0.5 s, whose layouts differ less than their slices. */
const SUMMARY: SliceSummary = {
  total: { change: 0, interval: [-1, 1] },
  ...{ total_agrees: null, quads: 160, slice_ns: 6e5, quad_ns: 6e6, setup_ns: 5e8 },
  ...{ within_sd: 0.029, between_sd: 0.008, best_quads: 418, half_width: null, drift: null },
  ...{ sessions: [], median_session: { block: 1, attempt: 1 }, extreme_session: { block: 1, attempt: 1 } },
};

function sessions(): { readonly journal: Journal; readonly sources: PlanSources } {
  const made = paired();
  const { experiment } = made.run;
  const design = { ...experiment.design, slices: SLICES };
  const journal = { ...made, run: { ...made.run, experiment: { ...experiment, design } } };
  const sources = sourcesOf(journal);
  if (sources.earlier === null) throw new Error('an earlier run');
  const { analysis } = sources.earlier;
  const comparisons = analysis.comparisons.map((row) => ({ ...row, slices: SUMMARY }));
  return { journal, sources: { ...sources, earlier: { ...sources.earlier, analysis: { ...analysis, comparisons } } } };
}

test('sessions, and of which length they would be best', () => {
  const { journal, sources } = sessions();
  golden('sessions', told(journal, sources));
});

test('sessions of another length than those that are known', () => {
  const { journal, sources } = sessions();
  const earlier = sources.earlier && { ...sources.earlier, session_ns: 5e7 };
  expect(told(journal, { ...sources, earlier })).toContain('16 sessions, each of about 50 ms, in the confirmation of');
});

test('a change within the threshold', () => {
  const journal = paired({ decision: { threshold: 0.01, margin: 0.01 } });
  golden('threshold', told(journal, sourcesOf(journal), PERCENT, 3));
});

test('nothing has been run', () => {
  golden('unknown', told(paired(), NO_SOURCES));
});

test('what has another kind of pairs tells nothing, and that is said', () => {
  const { sources } = sessions();
  const text = told(paired(), sources);
  expect(text).toMatch(/^time: unknown\n/);
  expect(text).toContain('pairs of processes tell nothing of sessions');
});

test('pairs that spread without measure', () => {
  const text = told(paired(), { ...NO_SOURCES, calibration: calibrationOf(4) });
  expect(text).toContain('write: more than the 10,000 pairs that an experiment can have; slices may spread less');
});
