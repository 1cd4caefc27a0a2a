import { describe, expect, it } from 'vitest';
import { messageOf, reasonsOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readPerfStat } from './perf-stat.ts';

const sample = (name: string) => readPerfStat(toolOutput(`perf_stat/${name}.csv`));
const results = (name: string) => soundReading(sample(name)).results;
const only = (name: string) => {
  const [first, ...others] = results(name);
  if (first === undefined || others.length > 0) throw new Error('not one result');
  return first;
};

describe('output of perf stat -x,', () => {
  it('has all events of a run in one result', () => {
    const [first, second] = results('two-runs');
    expect(first?.name).toBe('total');
    expect(first === undefined ? null : [valuesOf(first), reasonsOf(first)]).toEqual([
      {
        task_clock: 1020000,
        context_switches: 1,
        page_faults_u: 47,
        duration_time: 9150451,
        user_time: 2357000,
        minor_faults: 50,
      },
      { cycles: 'perf says <not supported>', instructions_u: 'perf says <not supported>' },
    ]);
    expect(second === undefined ? null : valuesOf(second)).toMatchObject({
      page_faults_u: 44,
      duration_time: 10066980,
    });
    expect(first?.metrics[0]).toEqual({ name: 'task_clock', unit: 'ns', better: 'lower', value: 1020000 });
  });

  it('does not mind what the command wrote', () => {
    expect(valuesOf(only('killed-command'))).toEqual({ page_faults: 62 });
    expect(valuesOf(only('exit-code'))).toMatchObject({ task_clock: 720000, cpu_migrations: 0 });
  });

  it('has events with modifiers and with commas, and warns of scaled counts', () => {
    const result = only('scaled-hand-written');
    expect(result.metrics).toEqual([
      { name: 'cycles_u', unit: 'count', better: 'lower', value: 1234567 },
      { name: 'instructions_u', unit: 'count', better: 'lower', value: 2000000 },
      { name: 'cpu_event_0x3c_umask_0x1_u', unit: 'count', better: null, value: 4321 },
      { name: 'power_energy_pkg', unit: 'Joules', better: null, value: 12.5 },
    ]);
    expect(reasonsOf(result)).toEqual({ cache_misses: 'perf says <not counted>' });
    expect(messageOf(sample('scaled-hand-written'), 'scaled-counts')).toBe(
      'counted for a part of the time only, and scaled up: cycles:u (66.67 %)',
    );
  });

  it('reads a decimal comma between the same commas', () => {
    expect(valuesOf(only('decimal-comma'))).toEqual({
      task_clock: 820000,
      context_switches: 0,
      page_faults: 48,
      duration_time: 4448,
    });
    expect(valuesOf(only('decimal-comma-repeated'))).toEqual({ task_clock: 810000, page_faults: 49 });
    const scaled = readPerfStat('1234,,cycles,5000,66,67,,\n');
    expect(messageOf(scaled, 'scaled-counts')).toContain('cycles (66.67 %)');
  });

  it.each(['repeated', 'decimal-comma-repeated'])('says of %s that it is a mean', (name) => {
    expect(messageOf(sample(name), 'summary-only')).toBe('the counts are means over several executions (-r)');
    expect(messageOf(sample('two-runs'), 'summary-only')).toBeUndefined();
  });

  it('has no time that was rounded to 0, and no line that may have been cut', () => {
    const [first] = soundReading(
      readPerfStat('0.00,msec,task-clock,900,100.00,,\n5,,faults,900,100.00,,\n12,,cs,900,1'),
    ).results;
    expect(first === undefined ? null : [valuesOf(first), reasonsOf(first)]).toEqual([
      { faults: 5 },
      { task_clock: 'it is printed as 0.00, rounded down' },
    ]);
  });

  it.each([
    ['intervals', 'line 1 is of an interval (-I)'],
    ['decimal-comma-intervals', 'line 1 is of an interval (-I)'],
    ['per-cpu', 'line 1 is of a part: a CPU, a core, a socket or a thread'],
    ['per-socket', 'line 1 is of a part: a CPU, a core, a socket or a thread'],
    ['per-thread', 'line 1 is of a part: a CPU, a core, a socket or a thread'],
    ['for-people', 'it has no line of perf stat -x,'],
  ])('is refused where it is %s', (name, reason) => expect(sample(name)).toEqual({ ok: false, reason }));

  it.each([
    ['     0.103929709,CPU0,85,,cs,110315065,100.00,,\n', 'line 1 is of an interval (-I)'],
    [
      'S0-D0-C1,1,52.79,msec,cpu-clock,52795636,100.00,1.001,CPUs utilized\n',
      'line 1 is of a part: a CPU, a core, a socket or a thread',
    ],
    ['1,,cs,900,100.00,,\n1,,cs,900,100.00,,\n', 'line 2 counts cs again: of a part, an interval or another run'],
    ['', 'it has no line of perf stat -x,'],
  ])('is not %j', (text, reason) => expect(readPerfStat(text)).toEqual({ ok: false, reason }));
});
