import { describe, expect, it } from 'vitest';
import { accountOf, journalOf } from '../../test/journal-builder.ts';
import { SLICES, sessionOf } from '../../test/session-slices.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { counterReason } from './counter-reason.ts';
import { subjectEnvironment } from './environment.ts';
import { extractMetrics } from './extract.ts';
import { launcherCounters, trialCounters } from './trial-counters.ts';

const { experiment: read } = journalOf({ values: { write: { a: [1], b: [1] } }, counters: 'hardware' }).run;
const experiment = { ...read, slices: null };
const driver = { name: 'rocksdb', compiler: null, standard: null, flags: null } as const;
const withDriver = { ...experiment, workload: { ...experiment.workload, driver } };
const own = { ...experiment, workload: { ...experiment.workload, env: { ASSAY_COUNTERS: 'hardware' } } };

const READING = {
  kind: 'hardware',
  events: { cycles: 900, instructions: 1000 },
  enabled_ns: 50,
  running_ns: 50,
} as const;
const line = (counters: unknown) => `${JSON.stringify({ metrics: {}, counters })}\n`;
const launched = accountOf({ counters: { ...READING, events: { cycles: 5 } } });

describe('who counts', () => {
  it('the launcher, unless the driver does', () => {
    expect(launcherCounters(experiment)).toBe('hardware');
    expect(launcherCounters({ ...experiment, counters: 'off' })).toBeNull();
    expect(launcherCounters(withDriver)).toBeNull();
    expect(launcherCounters(own)).toBeNull();
    expect(launcherCounters({ ...experiment, slices: SLICES })).toBeNull();
  });

  it('a driver of Assay’s learns it from its environment, in every arm alike', () => {
    const [a, b] = withDriver.arms;
    const variable = (of: Experiment, arm: typeof a) =>
      subjectEnvironment({ experiment: of, arm, values: {}, place: '/p', padding: 0, own: {} })['ASSAY_COUNTERS'];
    expect([variable(withDriver, a), variable(withDriver, b)]).toEqual(['hardware', 'hardware']);
    expect(variable({ ...withDriver, counters: 'off' }, a)).toBeUndefined();
    expect(variable(experiment, a)).toBeUndefined();
    expect(variable(own, a)).toBe('hardware');
  });
});

describe('what a trial counted', () => {
  it('is what the driver reports, else what the launcher counted', () => {
    expect(trialCounters(experiment, { stdout: line(READING), account: launched })).toEqual({
      ...READING,
      scope: 'region',
    });
    expect(trialCounters(experiment, { stdout: 'bye\n', account: launched })).toMatchObject({
      events: { cycles: 5 },
      scope: 'process',
    });
    expect(trialCounters({ ...experiment, counters: 'off' }, { stdout: line(READING), account: launched })).toBeNull();
  });

  it('is nothing, with the reason, where the driver could not or did not', () => {
    const unsupported = { kind: 'hardware', unsupported: 'no such events' };
    const told = { stdout: line(unsupported), account: accountOf() };
    expect(trialCounters(withDriver, told)).toEqual({ ...unsupported, scope: 'region' });
    expect(trialCounters(experiment, { ...told, account: launched })).toMatchObject({ scope: 'process' });
    expect(trialCounters(withDriver, { stdout: '', account: accountOf() })).toMatchObject({
      unsupported: 'the driver reported none',
    });
    const other = line({ ...READING, kind: 'software' });
    expect(trialCounters(withDriver, { stdout: other, account: accountOf() })).toMatchObject({
      unsupported: 'the driver reported software counters',
    });
  });
});

describe('metrics', () => {
  const metric = { ...experiment.metrics[0], per: 10, from: { kind: 'counter', name: 'instructions' } } as const;
  const raw = { stdout: '', stderr: '', files: {}, account: accountOf() };
  const value = (counters: Parameters<typeof extractMetrics>[2], optional = true) =>
    extractMetrics([{ ...metric, optional }], raw, counters);

  it('are counts per operation, scaled to the whole time where they did not run all of it', () => {
    expect(value({ ...READING, scope: 'region' }).values).toEqual({ write: 100 });
    expect(value({ ...READING, scope: 'region', running_ns: 25 }).values).toEqual({ write: 200 });
  });

  it('are missing where nothing was counted', () => {
    const missing = { values: { write: null }, operations: {}, failure: null };
    expect(value({ ...READING, scope: 'region', running_ns: 0 })).toEqual(missing);
    expect(value({ ...READING, scope: 'region', events: {} }).values).toEqual({ write: null });
    const none = { kind: 'hardware', scope: 'region', unsupported: 'no such events' } as const;
    expect(value(none).values).toEqual({ write: null });
    expect(value(none, false).failure?.message).toBe('hardware counters are not available: no such events');
  });
});

describe('a refusal', () => {
  it.each([
    ['hardware', 'EACCES', 4, /EACCES, kernel.perf_event_paranoid is 4\): set it to 2 or less/],
    ['software', 'EPERM', 2, /paranoid is 2\): set it to 1 or less/],
    ['hardware', 'ENOENT', null, /no hardware counter for cycles \(ENOENT\): virtual machines/],
    ['hardware', 'ENOSYS', null, /no perf_event_open/],
    ['hardware', 'EINVAL', null, /fewer at a time/],
    ['hardware', 'EMFILE', null, /failed for cycles \(EMFILE\)/],
  ] as const)('of %s events by %s names a remedy or a reason', (kind, code, paranoid, reason) => {
    expect(counterReason(kind, 'cycles', code, paranoid)).toMatch(reason);
  });
});

describe('what a session counted', () => {
  const wall = [{ ns: [1, 1, 1, 1] as const }, { leader: 1 as const, ns: [1, 1, 1, 1] as const }];
  const eight = (of: (at: number) => number) => Array.from({ length: 8 }, (_, at) => of(at));
  const halfOf = (counters: Readonly<Record<string, readonly number[]>> | null, subject: 0 | 1 = 0) => ({
    ...{ slices: sessionOf(wall, { counters }), subject, fault: null, asked: 8 },
  });
  const TIMES = { enabled: eight(() => 10), running: eight(() => 10) };
  const of = (half: ReturnType<typeof halfOf>, stdout = line(undefined)) =>
    trialCounters(experiment, { stdout, account: launched }, half);

  it('is the sum over the slices of the arm', () => {
    const counters = { ...TIMES, cycles: eight((at) => 10 ** at), unknown: eight(() => 1) };
    // ABBA BAAB: the first subject has slices 0, 3, 5 and 6.
    const times = { kind: 'hardware', scope: 'region', enabled_ns: 40, running_ns: 40 };
    expect(of(halfOf(counters))).toEqual({ ...times, events: { cycles: 1_101_001 } });
    expect(of(halfOf(counters, 1))).toEqual({ ...times, events: { cycles: 10_010_110 } });
  });

  it.each([
    [null, 'not every answer of both drivers has hardware events'],
    [{ ...TIMES, page_faults: eight(() => 1) }, 'not every answer of both drivers has hardware events'],
    [
      { cycles: eight(() => 1), enabled: TIMES.enabled },
      'not every answer of both drivers has `enabled` and `running`',
    ],
    [{ cycles: eight(() => 1), enabled: TIMES.enabled, running: eight(() => 11) }, 'ran longer than they were enabled'],
  ])('is nothing where answers do not tell: %j', (counters, reason) => {
    expect(of(halfOf(counters))).toMatchObject({ unsupported: expect.stringContaining(reason) });
  });

  it('is what the driver says of itself where it cannot count', () => {
    const stdout = line({ kind: 'hardware', unsupported: 'no events here' });
    expect(of(halfOf(null), stdout)).toMatchObject({ unsupported: 'no events here', scope: 'region' });
    expect(of(halfOf({ ...TIMES, cycles: eight(() => 1) }), line({ ...READING, kind: 'software' }))).toMatchObject({
      unsupported: 'the driver reported software counters',
    });
  });
});
