import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import type { MachineFacts } from '../host/machine.ts';
import { PLAIN } from './plain-text.ts';
import { settingFacts } from './setting.ts';

const { machine } = journalOf({ values: { wall: { a: [1], b: [1] } } }).run;
const GROUP = { version: 2, cpu_quota: 1.5, periods: 100, throttled_periods: 7, throttled_ns: 9 } as const;

function shown(change: Partial<MachineFacts>): Readonly<Record<string, string>> {
  return Object.fromEntries(settingFacts({ ...machine, ...change }, PLAIN.prose));
}

test('of an ordinary machine, what varies between machines', () => {
  expect(shown({})).toEqual({
    'CPUs that share a core': '0,2 and 1,3',
    'frequency range': '2 GHz, fixed',
    'steal since the machine started': '0 %',
    'transparent huge pages': 'madvise',
    'random addresses': 'yes',
    'busy at the start': '0 other processes; all others together kept 0.02 CPUs busy',
  });
});

test('what is out of the ordinary is shown as well', () => {
  const unusual = shown({
    allowed_cpus: '2-3',
    isolated_cpus: '3',
    smt_siblings: [],
    frequency: { driver: null, governors: [], min_hz: 8e8, max_hz: 3.6e9 },
    control_group: { ...GROUP, memory_limit_bytes: 2 ** 30 },
    numa_nodes: ['0-1', ''],
    swap: { total_bytes: 2 ** 30, used_bytes: 2 ** 20, swappiness: 60 },
    aslr: 0,
    busy_processes: 1,
    other_cpu: null,
  });
  expect(unusual).toMatchObject({
    'CPUs that could be used': '2-3',
    'isolated CPUs': '3',
    'CPUs that share a core': 'none',
    'frequency range': '0.8 GHz to 3.6 GHz',
    'limits of the control group': 'CPU time of 1.5 CPUs; memory of 1 GiB; stopped in 7 of 100 periods before the run',
    'NUMA nodes': '0-1 and no CPU',
    swap: '1 MiB of 1 GiB in use',
    'random addresses': 'no',
    'busy at the start': '1 other process',
  });
});

test('of a journal that recorded nothing of it, nothing', () => {
  const nothing = Object.fromEntries(Object.keys(machine).map((name) => [name, null]));
  expect(shown(nothing)).toEqual({});
});
