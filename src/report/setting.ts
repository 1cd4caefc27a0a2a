/** How a machine was set, shared and busy, for a reader of its numbers. What the journal does not have is not shown. */
import type { ControlGroup, MachineFacts } from '../host/machine.ts';
import { counted, formatNumber, formatShare } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { formatBytes } from './units.ts';

type Shown = readonly [what: string, value: string];

export function settingFacts(machine: MachineFacts, prose: Escaping['prose']): readonly Shown[] {
  const { allowed_cpus, isolated_cpus, smt_siblings, frequency, steal, control_group } = machine;
  const { numa_nodes, swap, huge_pages, aslr, clock_source, c_library, busy_processes, other_cpu } = machine;
  const shown: (Shown | null)[] = [
    shownWhere(allowed_cpus, (list) => ['CPUs that could be used', prose(list)]),
    isolated_cpus === '' ? null : shownWhere(isolated_cpus, (list) => ['isolated CPUs', prose(list)]),
    shownWhere(smt_siblings, (lists) => ['CPUs that share a core', lists.map(prose).join(' and ') || 'none']),
    shownWhere(frequency, ({ min_hz, max_hz }) => ['frequency range', rangeText(min_hz, max_hz)]),
    shownWhere(steal, (share) => ['steal since the machine started', formatShare(share)]),
    shownWhere(control_group, (group) => ['limits of the control group', limitsText(group)]),
    shownWhere(numa_nodes, (nodes) => ['NUMA nodes', String(nodes.length)]),
    shownWhere(swap, ({ used_bytes, total_bytes }) => [
      'swap',
      total_bytes === 0 ? 'none' : `${formatBytes(used_bytes)} of ${formatBytes(total_bytes)} in use`,
    ]),
    shownWhere(huge_pages?.transparent ?? null, (choice) => ['transparent huge pages', prose(choice)]),
    shownWhere(aslr, (level) => [
      'random addresses',
      level === 0 ? 'no' : level === 1 ? 'yes, but for the heap' : 'yes',
    ]),
    shownWhere(clock_source, (name) => ['clock', prose(name)]),
    shownWhere(c_library, (name) => ['C library', prose(name)]),
    shownWhere(busy_processes, (count) => ['busy at the start', busyText(count, other_cpu)]),
  ];
  return shown.filter((fact) => fact !== null);
}

function shownWhere<T>(value: T | null, show: (value: T) => Shown): Shown | null {
  return value === null ? null : show(value);
}

function rangeText(min_hz: number, max_hz: number): string {
  const most = `${formatNumber(max_hz / 1e9)} GHz`;
  return min_hz === max_hz ? `${most}, fixed` : `${formatNumber(min_hz / 1e9)} GHz to ${most}`;
}

function limitsText({ cpu_quota, memory_limit_bytes, throttled_periods, periods }: ControlGroup): string {
  const throttled =
    throttled_periods === null || throttled_periods === 0 || periods === null
      ? ''
      : `; stopped in ${throttled_periods} of ${counted(periods, 'period')} before the run`;
  const cpu = cpu_quota === null ? 'CPU time: none' : `CPU time: that of ${formatNumber(cpu_quota)} CPUs`;
  const memory = memory_limit_bytes === null ? 'memory: none' : `memory: ${formatBytes(memory_limit_bytes)}`;
  return `${cpu}; ${memory}${throttled}`;
}

function busyText(count: number, other_cpu: number | null): string {
  const all = other_cpu === null ? '' : `; all others together kept ${formatNumber(other_cpu, 2)} CPUs busy`;
  return `${count === 1 ? '1 other process' : `${count} other processes`}${all}`;
}
