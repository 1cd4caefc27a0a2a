/** What the state of a database tells, as one result. */
import type { ToolMetric, ToolResult } from '../reading.ts';
import type { Amount, FamilyReport, TreeReport } from './tree.ts';
import { writeAmplification } from './write-amplification.ts';

const GIB = 2 ** 30;
/** A ratio whose parts were rounded so much that it may be off by more is not told. */
const ROUNDING = 1.05;

/** The database from its opening to the print. Sizes of several column families are added up. */
export function databaseResult(tree: TreeReport): ToolResult {
  const { families } = tree;
  const metrics: ToolMetric[] = [];
  const absent: { name: string; reason: string }[] = [];
  const add = (name: string, unit: string, better: ToolMetric['better'], value: number | null): void => {
    if (value !== null) metrics.push({ name, unit, better, value });
  };
  const ratio = writeAmplification(tree);
  if (ratio !== null && ratio.most / ratio.least <= ROUNDING) add('write_amplification', 'ratio', 'lower', ratio.value);
  else absent.push({ name: 'write_amplification', reason: amplificationLack(tree) });
  const addAmount = (name: string, better: ToolMetric['better'], amounts: readonly (Amount | null)[]): void => {
    const bytes = sumOf(amounts.map((amount) => amount?.bytes ?? null));
    if (bytes === null) return;
    if (bytes >= 0.1 * GIB) add(name, 'bytes', better, bytes);
    else absent.push({ name, reason: 'it is printed to 0.01 GB, and below 0.1 GB that tells too little' });
  };
  addAmount('ingested', null, [tree.ingested]);
  addAmount(
    'compaction_written',
    'lower',
    families.map(({ written }) => written),
  );
  addAmount(
    'compaction_read',
    'lower',
    families.map(({ read }) => read),
  );
  const compactions = sumOf(families.map(({ sum }) => sum?.compactions ?? null));
  const addTime = (name: string, value: number | null): void => {
    if (value === 0 && compactions !== 0) absent.push({ name, reason: 'it is printed as 0.00 seconds, rounded down' });
    else add(name, 'ns', 'lower', value);
  };
  addTime('compaction_time', sumOf(families.map(({ sum }) => sum?.compactionNs ?? null)));
  addTime('compaction_cpu', sumOf(families.map(({ sum }) => sum?.compactionCpuNs ?? null)));
  add('compactions', 'count', null, compactions);
  add('tree_size', 'bytes', 'lower', sumOf(families.map(({ sum }) => sum?.bytes ?? null)));
  add('tree_files', 'count', null, sumOf(families.map(({ sum }) => sum?.files ?? null)));
  for (const [level, { bytes, files }] of levelsOf(families)) {
    add(`${level}_size`, 'bytes', null, bytes);
    add(`${level}_files`, 'count', null, files);
  }
  add('stall_time', 'ns', 'lower', tree.stallNs);
  add('stall_share', 'ratio', 'lower', tree.stallShare);
  add('stall_delays', 'count', 'lower', sumOf(families.map(({ stalls }) => stalls?.delays ?? null)));
  add('stall_stops', 'count', 'lower', sumOf(families.map(({ stalls }) => stalls?.stops ?? null)));
  // The limit of all memtables together, which no column family counts.
  add('buffer_manager_stops', 'count', 'lower', tree.stalls?.stops ?? null);
  add('uptime', 'ns', null, tree.uptimeNs);
  const settings: Record<string, string> = tree.after === null ? {} : { after: tree.after };
  return { name: 'database', settings, failure: null, metrics, absent };
}

function amplificationLack({ families, ingested }: TreeReport): string {
  if (ingested === null) return 'what was put into the database is not printed';
  if (families.some(({ written }) => written === null)) return 'what compactions wrote is not printed';
  return 'too little was written: what it is made of is printed rounded (--statistics has exact counters)';
}

/** Null where a part is missing: a sum without it would be too small. */
function sumOf(values: readonly (number | null)[]): number | null {
  let sum: number | null = values.length === 0 ? null : 0;
  for (const value of values) sum = sum === null || value === null ? null : sum + value;
  return sum;
}

/** Levels by name such as `l0`; of all column families together. */
function levelsOf(families: readonly FamilyReport[]): Map<string, { bytes: number | null; files: number | null }> {
  const levels = new Map<string, { bytes: number | null; files: number | null }>();
  for (const { name, bytes, files } of families.flatMap((family) => family.levels)) {
    if (!/^L[0-9]{1,2}$/.test(name)) continue;
    const key = name.toLowerCase();
    const before = levels.get(key) ?? { bytes: 0, files: 0 };
    levels.set(key, { bytes: sumOf([before.bytes, bytes]), files: sumOf([before.files, files]) });
  }
  return levels;
}
