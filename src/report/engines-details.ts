/** What stands behind the main figures of one size: ranks, settling, costs, the shape of trees. */
import type { Figure, SizeFindings } from '../storage/engines/analysis.ts';
import { declarations } from '../storage/engines/facts.ts';
import { type EnginesSection, tablesOf, withParts } from './engines.ts';
import { isMarked, tableWithLines } from './engines-cells.ts';
import { pairsSection } from './engines-pairs.ts';
import { grouped } from './numbers.ts';
import { say } from './rules.ts';
import { left, listed, type Writer } from './writer.ts';

const WRITES = ['overwrite_settled_rate', 'overwrite_wamp', 'load_settle', 'overwrite_settle'];
const SPACE = ['load_space', 'overwrite_space', 'peak_memory', 'peak_limited'];
const CPU = ['load_cpu', 'load_settled_cpu', 'point_cpu', 'range_cpu', 'overwrite_cpu', 'overwrite_settled_cpu'];
const LATENCIES = [
  ['load', 'point'],
  ['range', 'overwrite'],
].map((steps) => steps.flatMap((step) => [`${step}_p50`, `${step}_p99`]));

export function detailSections<Part>(found: SizeFindings, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const name = writer.escaping.name(found.size.name);
  const weak = callsOf(found).filter(({ fewest }) => fewest !== null && fewest < FEWEST_CALLS);
  const notes = [latencyText(found), ...(weak.length === 0 ? [] : [say('engines.weak', {})])];
  const weakKeys = weak.map(({ step }) => `${step}_p99`);
  return withParts([
    rankSection(found, writer),
    pairsSection(found, writer),
    tablesOf(`${name}: settling, space and memory`, found, [WRITES, SPACE], [say('engines.settling', {})], writer),
    tablesOf(`${name}: CPU per operation (µs)`, found, [CPU], [say('engines.cpu', {})], writer),
    tablesOf(`${name}: latency (µs)`, found, LATENCIES, notes, writer, weakKeys),
    shapeSection(found, writer),
  ]);
}

/** Below it a hundredth of the calls is fewer than ten. */
const FEWEST_CALLS = 1000;

interface Calls {
  readonly step: string;
  readonly what: string;
  /** Timed calls of a trial; engines may commit several records at once, each another number of them. Null: not known. */
  readonly calls: readonly number[];
  readonly fewest: number | null;
}

/** Different values of a fact that is a number of records in a commit, over all engines and trials. */
function batchesOf(found: SizeFindings, fact: string): readonly number[] {
  const all = Object.keys(found.facts).flatMap((engine) => declarations(found, engine));
  return [...new Set(all.flatMap(({ [fact]: batch }) => (isCount(batch) ? [batch] : [])))];
}

function callsOf(found: SizeFindings): readonly Calls[] {
  const { size } = found;
  const commits = (records: number, fact: string) =>
    [...new Set(batchesOf(found, fact).map((batch) => Math.ceil(records / batch)))].sort((one, other) => one - other);
  return [
    { step: 'load', what: 'inserts', calls: commits(size.keys, 'load_latency_records') },
    { step: 'point', what: 'point reads', calls: [size.points] },
    { step: 'range', what: 'range reads', calls: [size.ranges] },
    { step: 'overwrite', what: 'overwrites', calls: commits(size.overwrites, 'overwrite_latency_records') },
  ].map((one) => ({ ...one, fewest: one.calls[0] ?? null }));
}

/** Of records in a commit: what a driver says otherwise is not known. */
function isCount(batch: unknown): batch is number {
  return Number.isSafeInteger(batch) && Number(batch) > 0;
}

function latencyText(found: SizeFindings): string {
  const calls = callsOf(found).map(
    ({ what, calls: all }) => `${what} ${all.length === 0 ? 'unknown' : all.map(grouped).join(' or ')}`,
  );
  const records = (name: string) => batchesOf(found, name).join(' or ');
  const [batch, overwrite] = [records('load_latency_records'), records('overwrite_latency_records')];
  return say('engines.latency', {
    calls: calls.join(', '),
    batch: batch || 'an unknown number of',
    overwrite: overwrite || 'an unknown number',
  });
}

function rankSection<Part>(found: SizeFindings, writer: Writer<Part>): EnginesSection<Part> {
  const title = `${writer.escaping.name(found.size.name)}: ranks`;
  const names = Object.keys(found.facts);
  const figures = found.figures.filter(
    // Where all have zero there is nothing to rank.
    ({ kind, engines }) => kind.main && Object.values(engines).some(({ rank, mean }) => rank !== null && mean !== 0),
  );
  if (figures.length === 0) return { title, parts: [] };
  const rows = figures.map(({ kind, engines }) => [
    kind.title,
    ...names.map((engine) => rankText(engines[engine]?.rank ?? null, isMarked(kind, found, engine))),
  ]);
  const columns = [left('figure'), ...names.map((engine) => left(writer.escaping.name(engine)))];
  const hasMarks = figures.some(({ kind }) => names.some((engine) => isMarked(kind, found, engine)));
  return {
    title,
    parts: [
      writer.text(say('engines.ranks', {})),
      writer.table(title, tableWithLines(columns, rows)),
      ...listed(writer, hasMarks ? [say('engines.mark', {})] : []),
    ],
  };
}

function rankText(rank: Figure['rank'], mark: boolean): string {
  if (rank === null) return '-';
  const text = rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`;
  return mark ? `${text} †` : text;
}

function shapeSection<Part>(found: SizeFindings, writer: Writer<Part>): EnginesSection<Part> {
  const rows = Object.entries(found.facts).flatMap(([engine, { load_shape: shape }]) =>
    Array.isArray(shape) && shape.length > 0
      ? [[writer.escaping.name(engine), writer.escaping.prose(shape.filter((line) => /\w/.test(line)).join('; '))]]
      : [],
  );
  const title = `${writer.escaping.name(found.size.name)}: shape of the tree after the load`;
  if (rows.length === 0) return { title, parts: [] };
  const lines = rows.map(([engine, shape]) => `${engine}: ${shape}`);
  const columns = [left('engine'), left('of its first trial')];
  return { title, parts: [writer.table(title, { columns, rows, lines })] };
}
