/**
 * How a machine was set, shared and busy, for a reader of its numbers. What the journal does not have is not shown, nor
 * what is as one would think: all CPUs, one node, no limits, no swap.
 */
import { parseCpuList } from '../host/cpu-list.ts';
import type { ControlGroup, MachineFacts } from '../host/machine.ts';
import type { ReportInput } from './input.ts';
import { counted, formatNumber, formatShare } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { formatBytes } from './units.ts';

type Shown = readonly [what: string, value: string];

export function settingFacts(machine: MachineFacts, prose: Escaping['prose']): readonly Shown[] {
  const { allowed_cpus, cpus, isolated_cpus, smt_siblings, frequency, steal, control_group } = machine;
  const { numa_nodes, swap, huge_pages, aslr, busy_processes, other_cpu } = machine;
  const some = allowed_cpus !== null && parseCpuList(allowed_cpus).length < cpus ? allowed_cpus : null;
  const isolated = isolated_cpus === '' ? null : isolated_cpus;
  const nodes = numa_nodes !== null && numa_nodes.length > 1 ? numa_nodes : null;
  const limits = control_group === null ? '' : limitsText(control_group);
  const shown: (Shown | null)[] = [
    shownWhere(some, (list) => ['CPUs that could be used', prose(list)]),
    shownWhere(isolated, (list) => ['isolated CPUs', prose(list)]),
    shownWhere(smt_siblings, (lists) => ['CPUs that share a core', lists.map(prose).join(' and ') || 'none']),
    shownWhere(frequency, ({ min_hz, max_hz }) => ['frequency range', rangeText(min_hz, max_hz)]),
    shownWhere(steal, (share) => ['steal since the machine started', formatShare(share)]),
    limits === '' ? null : ['limits of the control group', limits],
    shownWhere(nodes, (lists) => ['NUMA nodes', lists.map((list) => prose(list) || 'no CPU').join(' and ')]),
    shownWhere(swap, ({ used_bytes, total_bytes }) =>
      total_bytes === 0 ? null : ['swap', `${formatBytes(used_bytes)} of ${formatBytes(total_bytes)} in use`],
    ),
    shownWhere(huge_pages?.transparent ?? null, (choice) => ['transparent huge pages', prose(choice)]),
    shownWhere(aslr, (level) => [
      'random addresses',
      level === 0 ? 'no' : level === 1 ? 'yes, but for the heap' : 'yes',
    ]),
    shownWhere(busy_processes, (count) => ['busy at the start', busyText(count, other_cpu)]),
  ];
  return shown.filter((fact) => fact !== null);
}

/** Where the subject ran. Of sessions that the experiment does not place, the launcher's limitations say it. */
export function pinnedText({ journal }: ReportInput): string {
  const { design, machine } = journal.run.experiment;
  if (machine.cpu !== null) return `pinned to CPU ${machine.cpu}`;
  return design.slices === null ? 'not pinned' : 'placed by Assay (a warning says where)';
}

function shownWhere<T>(value: T | null, show: (value: T) => Shown | null): Shown | null {
  return value === null ? null : show(value);
}

function rangeText(min_hz: number, max_hz: number): string {
  const most = `${formatNumber(max_hz / 1e9)} GHz`;
  return min_hz === max_hz ? `${most}, fixed` : `${formatNumber(min_hz / 1e9)} GHz to ${most}`;
}

/** Empty where there are none. */
function limitsText({ cpu_quota, memory_limit_bytes, throttled_periods, periods }: ControlGroup): string {
  const stopped = throttled_periods !== null && throttled_periods > 0 && periods !== null;
  return [
    ...(cpu_quota === null ? [] : [`CPU time of ${counted(Number(formatNumber(cpu_quota)), 'CPU')}`]),
    ...(memory_limit_bytes === null ? [] : [`memory of ${formatBytes(memory_limit_bytes)}`]),
    ...(stopped ? [`stopped in ${throttled_periods} of ${counted(periods, 'period')} before the run`] : []),
  ].join('; ');
}

function busyText(count: number, other_cpu: number | null): string {
  const all = other_cpu === null ? '' : `; all others together kept ${formatNumber(other_cpu, 2)} CPUs busy`;
  return `${count === 1 ? '1 other process' : `${count} other processes`}${all}`;
}
