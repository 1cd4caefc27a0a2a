/** The tools whose output can be read, by the names that experiments and commands use. */
import { readBenchmarkReport } from './benchmark-report.ts';
import { readCallgrind } from './callgrind.ts';
import { readDbBench } from './db-bench.ts';
import { readFio } from './fio.ts';
import { readGnuTime } from './gnu-time.ts';
import { readGoBenchmark } from './go-benchmark.ts';
import { readGoogleBenchmark } from './google-benchmark.ts';
import { readHyperfine } from './hyperfine.ts';
import { readIibench } from './iibench.ts';
import { readJmh } from './jmh.ts';
import { KNOWN_METRICS } from './known-metrics.ts';
import { readPerfStat } from './perf-stat.ts';
import type { KnownMetric, Reading } from './reading.ts';
import { readSplinterdb } from './splinterdb.ts';
import { readSysbench } from './sysbench.ts';
import { readYcsb } from './ycsb.ts';

export interface Tool {
  /** As people call it. */
  readonly title: string;
  /** Linear time; never throws. */
  readonly read: (text: string) => Reading;
  /** Each repetition in one output is a process of its own. Where nothing says so, they are taken to share one. */
  readonly own_processes?: true;
  /** It runs all repetitions of one result, one after another, before it goes on: those in one output ran in turns with nothing. */
  readonly in_a_row?: true;
  /** Results that are not of anything that was to be measured, but the tool's account beside it: they decide only where they are asked for. */
  readonly beside?: readonly string[];
}

export const TOOLS = {
  benchmark_sh: {
    title: 'benchmark.sh of RocksDB',
    read: readBenchmarkReport,
    own_processes: true,
  },
  callgrind: { title: 'callgrind', read: readCallgrind },
  db_bench: { title: 'db_bench of RocksDB', read: readDbBench, beside: ['database', 'statistics'] },
  gnu_time: { title: 'GNU time -v', read: readGnuTime, own_processes: true },
  go_benchmark: { title: 'go test -bench', read: readGoBenchmark },
  google_benchmark: { title: 'Google Benchmark (JSON)', read: readGoogleBenchmark },
  hyperfine: { title: 'hyperfine (JSON)', read: readHyperfine, own_processes: true, in_a_row: true },
  perf_stat: { title: 'perf stat -x,', read: readPerfStat, own_processes: true },
  fio: { title: 'fio (JSON)', read: readFio },
  iibench: { title: 'the Insert Benchmark (summary)', read: readIibench },
  jmh: { title: 'JMH (JSON)', read: readJmh, own_processes: true, in_a_row: true },
  splinterdb: { title: 'driver_test of SplinterDB', read: readSplinterdb },
  sysbench: { title: 'sysbench', read: readSysbench },
  ycsb: { title: 'YCSB and go-ycsb', read: readYcsb },
} as const satisfies Readonly<Record<string, Tool>>;

export type ToolName = keyof typeof TOOLS;

export const TOOL_NAMES = Object.keys(TOOLS) as [ToolName, ...ToolName[]];

export function toolOf(name: ToolName): Tool {
  return TOOLS[name];
}

/** Unit and direction of a metric that the tool always prints so; null where they are known only once it has run. */
export function knownMetric(tool: ToolName, name: string): KnownMetric | null {
  const family = KNOWN_METRICS[tool]?.find(({ names }) => names.test(name));
  return family === undefined ? null : { name, unit: family.unit, better: family.better };
}
