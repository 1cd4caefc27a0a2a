/** Reads what GNU time writes with -v (or --verbose): each command as a result under its name. */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import type { Reading, ToolResult } from './reading.ts';
import { resultNameOf } from './result-name.ts';

const COMMAND = '\tCommand being timed: "';
const ELAPSED = 'Elapsed (wall clock) time (h:mm:ss or m:ss)';
const EXIT = 'Exit status';
const BROKEN = /^Command (?:terminated by signal|exited with non-zero status|stopped by signal) [0-9]{1,4}$/;

/** What is always 0 on Linux (averages of sizes, swaps, messages, signals) is left out. */
const MEASURES: ReadonlyMap<string, Measure & { readonly neverZero: boolean }> = new Map([
  ['User time (seconds)', { name: 'user_time', unit: 'ns', better: 'lower', scale: 1e9, neverZero: true }],
  ['System time (seconds)', { name: 'system_time', unit: 'ns', better: 'lower', scale: 1e9, neverZero: true }],
  [ELAPSED, { name: 'elapsed', unit: 'ns', better: 'lower', scale: 1e9, neverZero: true }],
  [
    'Maximum resident set size (kbytes)',
    { name: 'max_rss', unit: 'bytes', better: 'lower', scale: 1024, neverZero: true },
  ],
  ['Major (requiring I/O) page faults', { name: 'major_faults', unit: 'count', better: 'lower', neverZero: false }],
  [
    'Minor (reclaiming a frame) page faults',
    { name: 'minor_faults', unit: 'count', better: 'lower', neverZero: false },
  ],
  ['Voluntary context switches', { name: 'voluntary_switches', unit: 'count', better: 'lower', neverZero: false }],
  ['Involuntary context switches', { name: 'involuntary_switches', unit: 'count', better: 'lower', neverZero: false }],
  // Linux counts blocks of 512 bytes, whatever the file system's are.
  ['File system inputs', { name: 'read_from_device', unit: 'bytes', better: 'lower', scale: 512, neverZero: false }],
  ['File system outputs', { name: 'written_to_device', unit: 'bytes', better: 'lower', scale: 512, neverZero: false }],
]);

interface OpenCommand {
  readonly name: string;
  /** As its first line says; the exit status of a command that a signal ended is printed as 0. */
  readonly broken: string | null;
  readonly findings: Findings;
  readonly seen: Set<string>;
}

/** Linear time; never throws. The commands' own output may stand between. */
export function readGnuTime(text: string): Reading {
  const results: ToolResult[] = [];
  let open: OpenCommand | null = null;
  let broken: string | null = null;
  let cut = 0;
  for (const { text: line, ended } of linesOf(text)) {
    if (line.startsWith(COMMAND)) {
      if (open !== null) cut += 1;
      const name = resultNameOf(line.slice(COMMAND.length).replace(/"$/, '')) ?? 'unnamed';
      open = { name, broken, findings: new Findings(), seen: new Set() };
    }
    broken = BROKEN.test(line) ? line : null;
    // A last line without its end may have lost digits.
    if (open === null || !line.startsWith('\t') || !ended) continue;
    const [label, value] = fieldOf(line);
    const status = label === EXIT ? decimalOf(value) : null;
    if (status === null) takeField(open, label, value);
    else {
      results.push(resultOf(open, status));
      open = null;
    }
  }
  if (open !== null) cut += 1;
  if (results.length === 0) {
    return { ok: false, reason: cut > 0 ? 'it ends before the exit status' : 'it has no account of GNU time -v' };
  }
  const warnings =
    cut === 0
      ? []
      : [
          {
            code: 'unreadable-line',
            message: `${cut === 1 ? 'an account ends' : `${cut} accounts end`} before the exit status`,
            remedy: 'See whether time was killed, or the disk was full.',
          },
        ];
  return { ok: true, results, warnings };
}

/** Labels have colons of their own; none is followed by a space. */
function fieldOf(line: string): readonly [label: string, value: string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line.trim(), ''] : [line.slice(1, colon), line.slice(colon + 2).trim()];
}

function takeField({ findings, seen }: OpenCommand, label: string, value: string): void {
  const measure = MEASURES.get(label);
  if (measure === undefined || seen.has(label)) return;
  seen.add(label);
  const number = label === ELAPSED ? secondsOf(value) : decimalOf(value);
  if (measure.neverZero && number === 0)
    findings.lack(measure.name, `it is printed as ${excerptOf(value)}, rounded down`);
  else findings.take(measure, number, 'it is no number');
}

/** `1:02:03` or `2:03.45`. */
function secondsOf(text: string): number | null {
  const [, hours = '0', minutes, seconds] =
    /^(?:([0-9]{1,9}):)?([0-9]{1,2}):([0-9]{2}(?:\.[0-9]{1,6})?)$/.exec(text) ?? [];
  if (minutes === undefined) return null;
  // In hundredths, so that no binary fraction is added up.
  const hundredths = Math.round(Number(seconds) * 100);
  return (Number(hours) * 360_000 + Number(minutes) * 6_000 + hundredths) / 100;
}

function resultOf({ name, broken, findings, seen }: OpenCommand, status: number): ToolResult {
  for (const [label, { name: metric }] of MEASURES) {
    if (!seen.has(label)) findings.lack(metric, 'it is not printed');
  }
  return { name, settings: {}, failure: failureOf(broken, status), metrics: findings.metrics, absent: findings.absent };
}

function failureOf(broken: string | null, status: number): string | null {
  const [, signal] = / signal ([0-9]+)$/.exec(broken ?? '') ?? [];
  if (signal !== undefined) return `it was ended by signal ${signal}`;
  if (status !== 0) return `its exit status is ${status}`;
  return broken === null ? null : broken;
}
