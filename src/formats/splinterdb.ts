/** Reads what `driver_test splinter_test --perf` of SplinterDB prints: one result for each step. Its numbers are integers, rounded down. */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** A step, from its first line to that of its rate, and what is printed of it thereafter. */
interface Step {
  readonly name: string;
  threads: string | null;
  readonly findings: Findings;
  rated: boolean;
  failure: string | null;
}

const STARTS = /^splinter_perf_(inserts|lookups|range_lookups)\(\) starting\b/;
const THREADS = /\bnum_(?:insert|lookup|range)_threads=([0-9]{1,9})/;
const RATES = [
  ['insert', /^splinter total insertion rate: ([0-9]{1,25}) insertions\/second$/],
  // The tool calls deletions insertions here.
  ['delete', /^splinter total deletion rate: ([0-9]{1,25}) insertions\/second$/],
  ['lookup', /^splinter total lookup rate: ([0-9]{1,25}) lookups\/second$/],
  [
    'range',
    /^splinter total range (?:lookups: [0-9]{1,25}, (?:total returned tuples: [0-9]{1,25}, )?range )?rate: ([0-9]{1,25}) ops\/second(?:,|$)/,
  ],
] as const;
const TUPLES = /, tuple rate: ([0-9]{1,25}) tuples\/second$/;
/** That of ranges is the time of a range in some versions, of a tuple in others. */
const PER_TUPLE = /\bper-thread (?:insert|delete|lookup) time per tuple ([0-9]{1,25}) ns$/;
const MAX_INSERT = /^splinter max insert latency: ([0-9]{1,25}) msec$/;
const MAX_LOOKUP = /^max lookup latency ns \(sync=([0-9]{1,25}), async=([0-9]{1,25})\)$/;
/** The ranges of each run, in their order: the line does not say which. */
const RANGES = ['range_small', 'range_medium', 'range_large'] as const;
const ROUNDED = 'it is printed as 0: rounded down, or too short to be timed';
const MOST_STEPS = 100_000;

/** Linear time; never throws. */
export function readSplinterdb(text: string): Reading {
  const state: State = { steps: [], ranges: 0, deleted: false, rounds: false, perTuple: null };
  for (const { text: line, ended } of linesOf(text)) {
    // The last line may have been cut within a number.
    if (!ended) break;
    takeLine(state, line);
    if (state.steps.length > MOST_STEPS) return { ok: false, reason: `it has more than ${MOST_STEPS} steps` };
  }
  if (state.steps.length === 0) return { ok: false, reason: 'it has no step of splinter_test --perf, and no rate' };
  return { ok: true, results: state.steps.map(resultOf), warnings: [NO_DURABILITY] };
}

const NO_DURABILITY: ReadingWarning = {
  code: 'no-durability',
  message: 'SplinterDB neither syncs nor recovers: its rates of writes are without durability',
  remedy:
    'Compare them with no engine that syncs; read what was written to the device only after a sync, or it is understated.',
};

interface State {
  readonly steps: Step[];
  /** Ranges that were begun in this run. */
  ranges: number;
  deleted: boolean;
  /** Insertions are repeated, and timed from the first on. */
  rounds: boolean;
  perTuple: string | null;
}

function takeLine(state: State, line: string): void {
  const begins = STARTS.exec(line)?.[1];
  if (begins !== undefined) {
    const kind = begins === 'inserts' ? 'insert' : begins === 'lookups' ? 'lookup' : 'range';
    open(state, kind).threads = THREADS.exec(line)?.[1] ?? null;
    return;
  }
  if (line.startsWith('Beginning repeat round')) state.rounds = true;
  state.perTuple = PER_TUPLE.exec(line)?.[1] ?? state.perTuple;
  for (const [kind, pattern] of RATES) {
    const rate = pattern.exec(line)?.[1];
    if (rate !== undefined) takeRate(state, kind, rate);
  }
  const step = state.steps.at(-1);
  if (step === undefined) return;
  const tuples = TUPLES.exec(line)?.[1];
  if (tuples !== undefined)
    takeNumber(step.findings, { name: 'tuples_per_second', unit: '1/s', better: 'higher' }, tuples);
  if (/\bassert(?:ion)? failed\b/i.test(line)) step.failure ??= excerptOf(line);
  const insert = MAX_INSERT.exec(line)?.[1];
  if (insert !== undefined) takeNumber(step.findings, time('max', 1e6), insert);
  const lookup = MAX_LOOKUP.exec(line);
  if (lookup !== null) {
    const [sync, async] = [lookup[1] ?? '', lookup[2] ?? ''];
    takeNumber(step.findings, time('max', 1), Number(sync) > Number(async) ? sync : async);
  }
}

function open(state: State, kind: (typeof RATES)[number][0]): Step {
  if (kind === 'insert') {
    state.ranges = 0;
    state.deleted = false;
  }
  let name: string = kind;
  if (kind === 'range') {
    name = RANGES[state.ranges % RANGES.length] ?? kind;
    state.ranges += 1;
  }
  if (kind === 'delete') state.deleted = true;
  // What was deleted is looked up again, and not found.
  if (kind === 'lookup' && state.deleted) name = 'lookup_deleted';
  const step: Step = { name, threads: null, findings: new Findings(), rated: false, failure: null };
  state.steps.push(step);
  state.perTuple = null;
  return step;
}

/** Of the step that began, or of one that older versions begin without a word. */
function takeRate(state: State, kind: (typeof RATES)[number][0], rate: string): void {
  const begun = state.steps.at(-1);
  const perTuple = state.perTuple;
  const step = begun !== undefined && !begun.rated && begun.name.startsWith(kind) ? begun : open(state, kind);
  takeNumber(step.findings, { name: 'ops_per_second', unit: '1/s', better: 'higher' }, rate);
  if (perTuple !== null) takeNumber(step.findings, time('time_per_operation', 1), perTuple);
  if (state.rounds && kind === 'insert') step.failure ??= 'its rate is that of all rounds so far';
  step.rated = true;
  state.perTuple = null;
}

function time(name: string, scale: number): Measure {
  return { name, unit: 'ns', better: 'lower', scale };
}

function takeNumber(findings: Findings, measure: Measure, written: string): void {
  const value = decimalOf(written);
  if (value === 0) findings.lack(measure.name, ROUNDED);
  else if (!findings.metrics.some(({ name }) => name === measure.name)) findings.take(measure, value);
}

function resultOf({ name, threads, findings, rated, failure }: Step): ToolResult {
  return {
    name,
    settings: threads === null ? {} : { threads },
    failure: failure ?? (rated ? null : 'it began, and ended without a rate'),
    metrics: findings.metrics,
    absent: findings.absent,
  };
}
