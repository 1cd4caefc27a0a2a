/** The tools whose output can be read, by the names that experiments and commands use. */
import { readBenchmarkReport } from './benchmark-report.ts';
import { readCallgrind } from './callgrind.ts';
import { readDbBench } from './db-bench.ts';
import { readGnuTime } from './gnu-time.ts';
import { readGoBenchmark } from './go-benchmark.ts';
import { readGoogleBenchmark } from './google-benchmark.ts';
import { readHyperfine } from './hyperfine.ts';
import { readPerfStat } from './perf-stat.ts';
import type { Reading } from './reading.ts';

export interface Tool {
  /** As people call it. */
  readonly title: string;
  /** Linear time; never throws. */
  readonly read: (text: string) => Reading;
}

export const TOOLS = {
  benchmark_sh: { title: 'benchmark.sh of RocksDB', read: readBenchmarkReport },
  callgrind: { title: 'callgrind', read: readCallgrind },
  db_bench: { title: 'db_bench of RocksDB', read: readDbBench },
  gnu_time: { title: 'GNU time -v', read: readGnuTime },
  go_benchmark: { title: 'go test -bench', read: readGoBenchmark },
  google_benchmark: { title: 'Google Benchmark (JSON)', read: readGoogleBenchmark },
  hyperfine: { title: 'hyperfine (JSON)', read: readHyperfine },
  perf_stat: { title: 'perf stat -x,', read: readPerfStat },
} as const satisfies Readonly<Record<string, Tool>>;

export type ToolName = keyof typeof TOOLS;
