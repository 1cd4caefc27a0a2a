/** The tools whose output can be read, by the names that experiments and commands use. */
import { BENCHMARK_REPORT_METRICS, readBenchmarkReport } from './benchmark-report.ts';
import { CALLGRIND_METRICS, readCallgrind } from './callgrind.ts';
import type { KnownMetric, Reading } from './reading.ts';

export interface Tool {
  /** As people call it. */
  readonly title: string;
  /** Linear time; never throws. */
  readonly read: (text: string) => Reading;
  /** What its results may have, where that is known before it has run. Others may have more. */
  readonly metrics?: readonly KnownMetric[];
  /** Each repetition in one output is a process of its own. Where nothing says so, they are taken to share one. */
  readonly own_processes?: true;
}

export const TOOLS = {
  benchmark_sh: {
    title: 'benchmark.sh of RocksDB',
    read: readBenchmarkReport,
    metrics: BENCHMARK_REPORT_METRICS,
    own_processes: true,
  },
  callgrind: { title: 'callgrind', read: readCallgrind, metrics: CALLGRIND_METRICS },
} as const satisfies Readonly<Record<string, Tool>>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES = Object.keys(TOOLS) as [ToolName, ...ToolName[]];

export function toolOf(name: ToolName): Tool {
  return TOOLS[name];
}
