import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { sourcesOf } from '../../test/plan-sources.ts';
import { gitSource } from '../../test/report-cases-beside.ts';
import { around } from '../../test/report-values.ts';
import { forecast } from '../analysis/forecast.ts';
import { NO_SOURCES } from '../analysis/spread.ts';
import type { Journal } from '../journal/records.ts';
import { planText } from './plan.ts';

function built(builds: number): Journal {
  const journal = journalOf({
    values: { write: { before: around(100, 0.01, 1), after: around(101, 0.01, 2) } },
    sources: { before: gitSource('v1'), after: gitSource('v2') },
    builds,
  });
  if (journal.prepared === null) throw new Error('a journal of prepared arms');
  const arms = journal.prepared.arms.map((arm) => ({ ...arm, provenance: { build_seconds: '300.0' } }));
  return { ...journal, prepared: { ...journal.prepared, arms } };
}

/** The plan of an experiment as it reads after an earlier run. */
function told({ run }: Journal, earlier: Journal | null): string {
  const { experiment, plan } = run;
  const sources = earlier === null ? NO_SOURCES : sourcesOf(earlier);
  return planText({
    ...{ experiment, plan, seed_given: true, from: sources.earlier?.directory ?? null },
    ...{ forecast: forecast(experiment, plan, sources), detection: null, within: null, warnings: [] },
  });
}

test('builds come before the trials, and take a time of their own', () => {
  expect(told(built(4), null)).toContain(
    'time: unknown for the trials; before them 8 builds, whose time is not known until they have been made\n',
  );
  expect(told(built(4), built(4))).toMatch(
    /\ntime: about 32 s for the trials \(as in assay-runs\/x\); before them 8 builds, about 40 min where the cache has none of them\n/,
  );
  expect(told(built(1), null)).toContain('before them 2 builds, whose time is not known');
});

test('what could be found with several builds is known from several builds alone', () => {
  const unknown = /\n {2}write {2}unknown: how far builds differ is not known until several have been run\n/;
  expect(told(built(4), null)).toMatch(unknown);
  expect(told(built(4), built(1))).toMatch(unknown);
  expect(told(built(4), built(4))).toMatch(
    / {8}4 builds +8 builds +16 builds\n {2}write {2}[\d.]+ % +[\d.]+ % +[\d.]+ %\nspread: that of 4 builds in the confirmation/,
  );
  expect(told(built(1), built(4))).toMatch(
    /\nspread: that of 16 pairs in the confirmation of assay-runs.x \(2024-01-02 03:04:05 UTC\), at its upper 80 % bound/,
  );
});

test('commands are not built, and a driver is compiled', () => {
  const values = { write: { a: [1, 2], b: [2, 3] } };
  expect(told(journalOf({ values }), null)).toMatch(/\ntime: unknown\n/);
  const driver = { name: 'rocksdb', compiler: null, standard: null, flags: [] } as const;
  expect(told(journalOf({ values, workload: { driver } }), null)).toMatch(
    /\ntime: unknown; compiling the driver is not in it\n/,
  );
});

test('what is on record and cannot be read is said, with what would help', () => {
  const { experiment, plan } = journalOf({ values: { write: { a: [1, 2], b: [2, 3] } } }).run;
  const warning = {
    code: 'calibration-unreadable',
    metric: null,
    message: 'It is \u001b[31mdamaged.',
    remedy: 'Mend it.',
  };
  const told = planText({
    ...{ experiment, plan, seed_given: true, from: null, detection: null, within: null },
    ...{ forecast: forecast(experiment, plan, NO_SOURCES), warnings: [warning] },
  });
  expect(told).toMatch(/\n\nwarning: It is \\u\{1b\}\[31mdamaged\. Mend it\.\n$/);
});
