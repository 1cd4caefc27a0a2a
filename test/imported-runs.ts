/** Journals of results that were measured elsewhere, in the form of benchmark.sh, written by hand. */
import { createHash } from 'node:crypto';
import { type ImportOutcome, importRun } from '../src/imported/import-run.ts';
import { type ImportRequest, requestText } from '../src/imported/request.ts';
import type { Journal } from '../src/journal/records.ts';
import { experimentHash } from '../src/run/first-record.ts';
import { STARTED_UNIX_MS } from './journal-builder.ts';

export interface Row {
  readonly test: string;
  readonly rate: number | 'failed';
  readonly p99?: number;
  /** `2026-01-02T03:04:05`. */
  readonly date?: string;
}

export function benchmarkReport(rows: readonly Row[]): string {
  const lines = rows.map(({ test, rate, p99, date }) => [rate, p99 ?? 'NA', test, date ?? ''].join('\t'));
  return `${['ops_sec\tp99\ttest\tdate', ...lines].join('\n')}\n`;
}

/** Files of each side, as texts. */
export type SideTexts = Readonly<Record<string, readonly string[]>>;

export function requestOf(sides: SideTexts, more: Partial<ImportRequest> = {}): ImportRequest {
  let number = 0;
  return {
    title: 'imported',
    tool: 'benchmark_sh',
    sides: Object.entries(sides).map(([arm, texts]) => ({ arm, files: texts.map(() => number++), result: null })),
    files: Object.entries(sides).flatMap(([arm, texts]) =>
      texts.map((_, at) => ({ path: `raw/results/${arm}-${at + 1}`, name: `${arm}-${at + 1}.tsv` })),
    ),
    ...{ metrics: [], interleaved: false, threshold: 0, margin: null },
    ...more,
  };
}

export function imported(sides: SideTexts, more: Partial<ImportRequest> = {}): ImportOutcome {
  const request = requestOf(sides, more);
  const texts = Object.values(sides).flat();
  return importRun(
    request,
    request.files.map(({ path }, at) => {
      const text = texts[at] ?? '';
      return { path, text, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

export function importedJournal(sides: SideTexts, more: Partial<ImportRequest> = {}): Journal {
  const outcome = imported(sides, more);
  if (!outcome.ok) throw new Error(outcome.message);
  const { trials, ...settled } = outcome.run;
  const text = requestText(requestOf(sides, more));
  const failed = trials.some(({ failure }) => failure !== null);
  return {
    run: {
      ...{ kind: 'run', version: 1, assay: '0.1.0', versions: { node: '20.19.0' }, started_unix_ms: STARTED_UNIX_MS },
      source: { name: 'import.json', text, sha256: createHash('sha256').update(text).digest('hex') },
      experiment_id: experimentHash(settled.experiment),
      ...settled,
      ...{ machine: null, calibration: null, earlier: [] },
    },
    prepared: null,
    trials: trials.map((trial) => ({ ...trial, session: null })),
    ...{ interruptions: [], resumptions: [] },
    end: { kind: 'end', unix_ms: STARTED_UNIX_MS, reason: { kind: failed ? 'trial_failed' : 'complete' } },
  };
}

/** Rates around a mean, the same in each run of the tests. */
export function rates(mean: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => Math.round(mean * (1 + 0.004 * Math.sin(31 * (at + 1) ** 2 + mean))));
}

const DAY = (day: number, hour: number) =>
  `2026-01-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00`;

function two(rate: number, count: number, date: (at: number) => string): string {
  return benchmarkReport(
    rates(rate, count).flatMap((one, at) => [
      { test: 'readrandom.t4', rate: one, p99: 9 + ((at + rate) % 5), date: date(at) },
      { test: 'fillseq.v400', rate: 2 * one, date: date(at) },
    ]),
  );
}

/** One side after the other, and one more often. */
function apart(): Journal {
  return importedJournal(
    { before: [two(10_000, 8, (at) => DAY(1 + at, 1))], after: [two(9500, 10, (at) => DAY(11 + at, 1))] },
    { title: 'Two releases, measured by somebody else' },
  );
}

/** A B B A. */
function inTurns(): Journal {
  const hour = (side: number) => (at: number) => DAY(1 + at, at % 2 === side ? 1 : 2);
  return importedJournal(
    { before: [two(10_000, 8, hour(0))], after: [two(9500, 8, hour(1))] },
    { metrics: ['readrandom.t4.ops_per_second'] },
  );
}

function severalSides(): Journal {
  const side = (rate: number) => [benchmarkReport(rates(rate, 6).map((one) => ({ test: 'overwrite.t1', rate: one })))];
  return importedJournal({ v1: side(5000), v2: side(4990), v3: side(6000) }, { interleaved: true, margin: 0.05 });
}

export const IMPORT_CASES: Readonly<Record<string, () => Journal>> = {
  'imported-apart': apart,
  'imported-in-turns': inTurns,
  'imported-several': severalSides,
};
