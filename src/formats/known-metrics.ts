/**
 * Units and directions of the metrics that tools print always, by their names: an experiment need not say them. What depends on how a
 * tool is set (counters of a user's own, per cent, levels) is not here.
 */
import type { KnownMetric } from './reading.ts';

/** All metrics whose name matches whole. */
interface Family extends Omit<KnownMetric, 'name'> {
  readonly names: RegExp;
}

const PERCENTILE = 'p[0-9]{1,2}(?:_[0-9]{1,4})?';

const times = (names: string): Family => ({ names: new RegExp(`^(?:${names})$`), unit: 'ns', better: 'lower' });
const rates = (names: string): Family => ({ names: new RegExp(`^(?:${names})$`), unit: '1/s', better: 'higher' });
const of = (unit: string, better: KnownMetric['better'], names: string): Family => {
  return { names: new RegExp(`^(?:${names})$`), unit, better };
};

const OPS_PER_SECOND = rates('ops_per_second');
const TIME_PER_OPERATION = times('time_per_operation');
const BYTES_PER_SECOND = of('bytes/s', 'higher', 'bytes_per_second');
const LATENCIES = times(`mean|min|max|${PERCENTILE}`);

/** By the names that experiments use. */
export const KNOWN_METRICS: Readonly<Record<string, readonly Family[]>> = {
  benchmark_sh: [
    ...[OPS_PER_SECOND, TIME_PER_OPERATION, times(`max|${PERCENTILE}`)],
    of('bytes', 'lower', 'compaction_written'),
  ],
  callgrind: [of('instructions', 'lower', 'instructions')],
  db_bench: [
    ...[OPS_PER_SECOND, TIME_PER_OPERATION, BYTES_PER_SECOND, LATENCIES],
    ...[of('ratio', 'lower', 'write_amplification|stall_share'), of('bytes', 'lower', 'tree_size')],
    times('compaction_time|compaction_cpu|stall_time'),
  ],
  fio: [
    rates('(?:read|write)_ops_per_second'),
    of('bytes/s', 'higher', '(?:read|write)_bytes_per_second'),
    times(`(?:read|write)_(?:clat|lat|slat)_(?:mean|min|max|${PERCENTILE})`),
  ],
  gnu_time: [times('elapsed|user_time|system_time'), of('bytes', 'lower', 'max_rss')],
  go_benchmark: [
    ...[TIME_PER_OPERATION, BYTES_PER_SECOND, of('bytes', 'lower', 'bytes_per_operation')],
    of('count', 'lower', 'allocations_per_operation'),
  ],
  google_benchmark: [times('real_time|cpu_time'), rates('items_per_second'), BYTES_PER_SECOND],
  hyperfine: [times('elapsed'), of('bytes', 'lower', 'memory')],
  iibench: [rates('inserts_per_second|queries_per_second'), times('max')],
  jmh: [OPS_PER_SECOND, TIME_PER_OPERATION, times(`sampled_time|single_shot_time|max|${PERCENTILE}`)],
  perf_stat: [
    times('task_clock|duration_time|user_time|system_time'),
    of('count', 'lower', 'page_faults|context_switches'),
  ],
  splinterdb: [OPS_PER_SECOND, TIME_PER_OPERATION],
  sysbench: [rates('(?:events|transactions|queries)_per_second'), LATENCIES],
  ycsb: [OPS_PER_SECOND, LATENCIES],
};
