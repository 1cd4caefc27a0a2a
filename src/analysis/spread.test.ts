import { expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { calibrationOf, sourcesOf } from '../../test/plan-sources.ts';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { around } from '../../test/report-values.ts';
import type { Calibration } from '../journal/calibration.ts';
import { contrastsOf } from './contrasts.ts';
import { NO_SOURCES, type PlanSources, spreadOf, type Wanted } from './spread.ts';

const CONFIRMED = { write: { a: around(100, 0.01, 1), b: around(103, 0.01, 2) } };
const SCREENED = { write: { a: [100, 100, 100, 100], b: [101, 102, 104, 101] } };
const PAIRS: Wanted = { unit: 'pair', pairs_each: 1 };

function spread(options: Partial<JournalOptions>, changes: Partial<PlanSources>, wanted = PAIRS) {
  const journal = journalOf({ values: CONFIRMED, ...options });
  const { experiment } = journal.run;
  const [contrast] = contrastsOf(experiment, experiment.metrics);
  if (contrast === undefined) throw new Error('a contrast');
  return spreadOf(sourcesOf(journal, changes), contrast, wanted);
}

test.each([
  ['a screening before all', { screening: SCREENED }, { calibration: calibrationOf(0.02) }, 'screening'],
  ['a calibration before a confirmation', {}, { calibration: calibrationOf(0.02) }, 'calibration'],
  ['a confirmation where there is nothing else', {}, {}, 'confirmation'],
  ['a named run before a calibration', {}, { named: true, calibration: calibrationOf(0.02) }, 'confirmation'],
  ['the screening of a named run', { screening: SCREENED }, { named: true }, 'screening'],
  ['a calibration in which nothing varied after all others', {}, { calibration: calibrationOf(null) }, 'confirmation'],
  ['a calibration alone', {}, { earlier: null, calibration: calibrationOf(0.02) }, 'calibration'],
] as const)('%s', (_, options, changes, from) => {
  expect(spread(options, changes).source?.from).toBe(from);
});

test('a pooled spread has its own degrees of freedom, and says how much it rests on', () => {
  const { source, ...found } = spread({}, { calibration: calibrationOf(0.02, 15) });
  const factor = vectors.planning_sd_upper_80.find(({ n }) => n === 16)?.factor ?? Number.NaN;
  expect(found).toMatchObject({ sd: 0.02, df: 15 });
  expect('sd_upper_80' in found ? found.sd_upper_80 : Number.NaN).toBeCloseTo(0.02 * factor, 12);
  expect(source).toMatchObject({ runs: 40, values: 320, run: null });
});

test('what an earlier run found does not matter, only how far it spread', () => {
  const shifted = { write: { a: CONFIRMED.write.a, b: CONFIRMED.write.b.map((value) => 2 * value) } };
  const [one, other] = [spread({}, {}), spread({ values: shifted }, {})];
  expect(one.sd).toBeGreaterThan(0);
  expect(other.sd).toBeCloseTo(one.sd ?? Number.NaN, 12);
});

test('pairs tell nothing of sessions, nor sessions of pairs, nor either of builds', () => {
  const calibration = calibrationOf(0.02);
  const none = { sd: null, source: null };
  expect(spread({}, { calibration }, { unit: 'session', pairs_each: 1 })).toEqual(none);
  expect(spread({}, { calibration }, { unit: 'build', pairs_each: 4 })).toEqual(none);
  const sessions: Calibration = { ...calibration, sessions: true };
  expect(spread({}, { earlier: null, calibration: sessions })).toEqual(none);
});

test.each([
  ['kind', { kind: 'difference' }],
  ['unit', { unit: 'ms' }],
] as const)('a metric of the same name and another %s is another one', (_, change) => {
  const metrics = { write: change };
  const { experiment } = journalOf({ values: CONFIRMED, metrics }).run;
  const [contrast] = contrastsOf(experiment, experiment.metrics);
  if (contrast === undefined) throw new Error('a contrast');
  const sources = sourcesOf(journalOf({ values: CONFIRMED, screening: SCREENED }), {
    calibration: calibrationOf(0.02),
  });
  expect(spreadOf(sources, contrast, PAIRS)).toEqual({ sd: null, source: null });
});

test('where nothing varied, it is said of how many pairs', () => {
  const constant = { write: { a: [2, 2, 2, 2], b: [4, 4, 4, 4] } };
  expect(spread({ values: constant }, {})).toMatchObject({ sd: null, source: { from: 'confirmation', values: 4 } });
  const { experiment } = journalOf({ values: CONFIRMED }).run;
  const [contrast] = contrastsOf(experiment, experiment.metrics);
  if (contrast === undefined) throw new Error('a contrast');
  expect(spreadOf(NO_SOURCES, contrast, PAIRS)).toEqual({ sd: null, source: null });
});
