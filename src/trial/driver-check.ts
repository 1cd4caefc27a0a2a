/** Plays through what a driver that works in slices must do (docs/slices.md), and says what it did otherwise. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AssayError } from '../failures.ts';
import { ENABLED, RUNNING } from '../plan/slice-counts.ts';
import { type Done, fitsTurn, parseDone, parseReady, type Ready } from './driver-answers.ts';
import { type DriverProcess, type Said, startDriver } from './driver-process.ts';
import { lastWords } from './last-words.ts';
import { quoteStart, quoteValue } from './quote.ts';
import { findResultLine } from './result-line.ts';

interface Finding {
  /** Which rule. */
  readonly rule: string;
  readonly ok: boolean;
  /** What was found. */
  readonly message: string;
  /** Null where it is ok. */
  readonly remedy: string | null;
}

export interface DriverCheck {
  readonly sliceable: boolean;
  readonly findings: readonly Finding[];
}

/** Stands for an empty directory of each start. */
const DIRECTORY = '{dir}';
const LINGER_MS = 50;
/** How long the end of its requests may take to end a driver. */
const END_LIMIT_MS = 10_000;

/** Ends the conversation: nothing can be told of what would come after it. */
class Broken extends Error {}

/**
 * Starts the driver with `--serve` twice, and without it where it does not work in slices. Its processes are killed and
 * its directories removed. Throws AssayError `usage` where it cannot be started.
 */
export async function checkDriver(argv: readonly [string, ...string[]], timeout_ms: number): Promise<DriverCheck> {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-driver-check-'));
  const findings: Finding[] = [];
  const find = (rule: string, ok: boolean, message: string, remedy: string): void => {
    findings.push({ rule, ok, message, remedy: ok ? null : remedy });
  };
  let starts = 0;
  /** Calls `talk` with a driver that was started, and leaves nothing of it. */
  const withDriver = async <Value>(words: readonly string[], talk: (driver: DriverProcess) => Promise<Value>) => {
    starts += 1;
    const place = join(scratch, String(starts));
    mkdirSync(place);
    const [program, ...args] = argv;
    const filled = [...args, ...words].map((word) => word.replaceAll(DIRECTORY, place));
    const driver = await startDriver([program, ...filled]);
    if (typeof driver === 'string') {
      throw new AssayError({
        kind: 'usage',
        message: `${quoteStart(program)} cannot be started (${driver})`,
        remedy: 'Name a program that can: assay driver-check -- COMMAND …',
      });
    }
    try {
      return await talk(driver);
    } finally {
      const left = await driver.kill();
      if (left && (await driver.ended(0)) !== null && findings.every(({ ok }) => ok)) {
        find('processes', false, 'it left a process running', 'Wait for every process that the driver starts.');
      }
    }
  };
  try {
    const refusal = await withDriver(['--serve'], (driver) => converse(driver, timeout_ms, find));
    if (refusal !== null) {
      await withDriver([], (driver) => checkPlain(driver, timeout_ms, refusal, find));
      return { sliceable: false, findings };
    }
    if (findings.every(({ ok }) => ok)) {
      await withDriver(['--serve'], (driver) => checkHangUp(driver, timeout_ms, find));
    }
    return { sliceable: true, findings };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { sliceable: true, findings };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Find = (rule: string, ok: boolean, message: string, remedy: string) => void;

const PAGE = 'See docs/slices.md.';

/** The first start: ready, slices, finish. Resolves with why it does not work in slices, where it says so. */
async function converse(driver: DriverProcess, timeout_ms: number, find: Find): Promise<string | null> {
  const first = await driver.next(timeout_ms);
  if (first.kind !== 'line') {
    await driver.ended(first.kind === 'closed' ? 1000 : 0);
    const refusal = /does not work in slices:[^\n]*/.exec(driver.stderr())?.[0];
    if (refusal !== undefined) return refusal;
  }
  const ready = checkReady(driver, first, find);
  const total = await checkSlices(driver, ready, timeout_ms, find);
  await checkFinish(driver, total, timeout_ms, find);
  return null;
}

/** What it did instead of answering, with its last words. */
function silence(driver: DriverProcess, said: Said): string {
  const words = lastWords(driver.stdout(), driver.stderr());
  const after = words === null ? '' : `; its last words: ${quoteStart(words, 300)}`;
  switch (said.kind) {
    case 'line':
      return `it answered ${quoteStart(said.text)}`;
    case 'closed':
      return `it ended, or closed its answers${after}`;
    case 'endless':
      return 'it answered more than 512 bytes without an end of line';
    case 'silent':
      return `it did not answer in time${after}`;
  }
}

function checkReady(driver: DriverProcess, said: Said, find: Find): Ready {
  const ready = said.kind === 'line' ? parseReady(said.text) : null;
  const remedy = `Once it is set up it writes "ready 1 unit=N" or "ready 1 unit=N most=M" to descriptor 4. ${PAGE}`;
  if (ready === null) {
    find('ready', false, silence(driver, said), remedy);
    throw new Broken();
  }
  const { unit, most } = ready;
  find('ready', true, `unit ${unit}, ${most === null ? 'any number of operations' : `at most ${most} operations`}`, '');
  return ready;
}

/** Preludes and operations of the slices that are asked for, in units. */
const SLICES: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, 1],
  [1, 2],
  [0, 8],
  [3, 5],
  [16, 64],
  [0, 1],
];

async function checkSlices(driver: DriverProcess, ready: Ready, timeout_ms: number, find: Find): Promise<number> {
  const { unit, most } = ready;
  let total = 0;
  let asked = 0;
  let rests = 0;
  const over: string[] = [];
  const miscounted: string[] = [];
  let counts = false;
  const one = 'Answer each request by one line, when it is done.';
  for (const [preludes, units] of SLICES) {
    const [prelude, operations] = [preludes * unit, units * unit];
    if (total + prelude + operations > (most ?? Number.POSITIVE_INFINITY)) continue;
    total += prelude + operations;
    asked += 1;
    const request = `slice ${prelude} ${operations}`;
    driver.send(request);
    const said = await driver.next(timeout_ms);
    const done = said.kind === 'line' ? parseDone(said.text) : null;
    if (said.kind !== 'line' || done === null) {
      const form = 'done OPERATIONS WALL_NS CPU_NS VOLUNTARY INVOLUNTARY idle';
      find('answers', false, `"${request}": ${silence(driver, said)}`, `Answer by "${form}" (or busy). ${PAGE}`);
      throw new Broken();
    }
    if (done.operations !== operations) {
      const told = `"${request}": it says that it timed ${done.operations} operations`;
      find('count', false, told, 'Time as many operations as the second number says, after those of the first.');
      throw new Broken();
    }
    over.push(...implausible(done, said.took_ns, request));
    counts ||= done.counts.length > 0;
    miscounted.push(...impossibleCounts(done, request));
    await delay(LINGER_MS);
    if (driver.unread() !== '') {
      find('answers', false, `"${request}": a second answer, ${quoteStart(driver.unread())}`, one);
      throw new Broken();
    }
    if (!done.busy) continue;
    rests += 1;
    driver.send('rest');
    const rested = await driver.next(timeout_ms);
    if (rested.kind !== 'line' || rested.text !== 'rested') {
      find('rest', false, `"rest": ${silence(driver, rested)}`, 'Answer "rested" once no background work is going on.');
      throw new Broken();
    }
  }
  if (asked === 0) {
    find(
      'slices',
      false,
      `at most ${most} operations are less than one unit of ${unit}`,
      'Let it do more, or less at a time.',
    );
    throw new Broken();
  }
  find('answers', true, `one to each of ${asked} requests, of 1 to 64 units, with and without a prelude`, '');
  find('count', true, 'as many operations as were asked for', '');
  const clock =
    'Read a monotonic clock just before and after the timed operations, and the CPU time of the same stretch.';
  find('time', over.length === 0, over[0] ?? 'not longer than the turns that they are of', clock);
  if (counts) {
    const once =
      'Answer each event once, of the timed operations of this slice alone; "running" is a part of "enabled".';
    find('counters', miscounted.length === 0, miscounted[0] ?? 'each event once, not longer than it was enabled', once);
  }
  if (rests > 0) find('rest', true, `after ${rests} slices it was busy, and came to rest`, '');
  return total;
}

/** Switching tasks and reading clocks may add so much to what was asked to be timed. */
const CPU_TOLERANCE_NS = 1e6;

/** So many operations take longer than the step of any clock that could time them. */
const MANY = 64;

function implausible({ operations, wall_ns, cpu_ns }: Done, took_ns: number, request: string): string[] {
  const found: string[] = [];
  if (wall_ns === 0 && operations >= MANY) found.push(`"${request}": no wall time at all for ${operations} operations`);
  if (!fitsTurn(wall_ns, took_ns)) {
    found.push(`"${request}": ${wall_ns} ns of wall time, in a turn that took ${Math.round(took_ns)} ns`);
  }
  if (cpu_ns > 1.2 * wall_ns * availableParallelism() + CPU_TOLERANCE_NS) {
    found.push(`"${request}": ${cpu_ns} ns of CPU time in ${wall_ns} ns`);
  }
  return found;
}

/** What no counter can have counted. */
function impossibleCounts({ counts }: Done, request: string): string[] {
  const names = counts.map(nameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const found = twice === undefined ? [] : [`"${request}": ${quoteStart(twice)} is there twice`];
  const [enabled, running] = [ENABLED, RUNNING].map((name) => counts.find((count) => nameOf(count) === name));
  if (enabled !== undefined && running !== undefined && countIn(running) > countIn(enabled)) {
    found.push(`"${request}": the events ran longer than they were enabled (${running}, ${enabled})`);
  }
  return found;
}

function nameOf(count: string): string {
  return count.slice(0, count.indexOf('='));
}

function countIn(count: string): number {
  return Number(count.slice(count.indexOf('=') + 1));
}

async function checkFinish(driver: DriverProcess, total: number, timeout_ms: number, find: Find): Promise<void> {
  driver.send('finish');
  const end = await driver.ended(timeout_ms);
  const line =
    'After "finish" it verifies everything, prints its result line as the last one of stdout, and exits with 0.';
  if (end === null) {
    find('finish', false, 'it did not end in time', line);
    throw new Broken();
  }
  if (driver.unread() !== '') {
    find('answers', false, `"finish": an answer, ${quoteStart(driver.unread())}`, 'It has no answer: its end is one.');
  }
  const found = findResultLine(driver.stdout());
  if (!found.ok) {
    find('result', false, found.reason, `${line} See docs/drivers.md.`);
    throw new Broken();
  }
  const { checks, operations } = found.line;
  const failed = Object.entries(checks).filter(([, { ok }]) => !ok);
  const [bad] = failed;
  const names = Object.keys(checks);
  const verify = 'Verify what was done, and say so in "checks" of the result line.';
  if (names.length === 0) find('checks', false, 'the result line has none', verify);
  else if (bad === undefined) find('checks', true, `${names.length} of them, all ok`, '');
  else find('checks', false, `${quoteStart(bad[0])}: ${quoteStart(bad[1].detail)}`, 'Mend what the check found.');
  const told = `operations is ${operations === null ? 'missing' : quoteValue(operations)}`;
  const count = `Count all operations, preludes too: ${total} were asked for.`;
  find('operations', operations === total, operations === total ? `${told}, as were asked for` : told, count);
  const how = end.signal === null ? `exit code ${end.code}` : `it was ended by ${end.signal}`;
  find(
    'exit code',
    end.code === 0 || (failed.length > 0 && end.code === 1),
    how,
    'Exit with 0; with 1 where a check is not ok.',
  );
}

/** The second start: one slice, then nobody is there any more. */
async function checkHangUp(driver: DriverProcess, timeout_ms: number, find: Find): Promise<void> {
  const rule = 'end of requests';
  const ready = parseReadyLine(await driver.next(timeout_ms));
  if (ready === null) {
    find(
      rule,
      false,
      'started again, it did not get ready',
      `Each start must stand for itself; ${DIRECTORY} in the command is an empty directory.`,
    );
    throw new Broken();
  }
  driver.send(`slice 0 ${ready.unit}`);
  await driver.next(timeout_ms);
  driver.hangUp();
  const end = await driver.ended(Math.min(timeout_ms, END_LIMIT_MS));
  const remedy = 'At the end of its requests without "finish" it ends at once.';
  find(rule, end !== null, end === null ? 'it goes on' : 'it ends where it is left alone', remedy);
}

function parseReadyLine(said: Said): Ready | null {
  return said.kind === 'line' ? parseReady(said.text) : null;
}

/** A driver that says that it does not work in slices may still be a driver. */
async function checkPlain(driver: DriverProcess, timeout_ms: number, refusal: string, find: Find): Promise<void> {
  find('slices', false, quoteStart(refusal, 200), `Teach it to, with drivers/slices.h or drivers/slices.js. ${PAGE}`);
  const end = await driver.ended(timeout_ms);
  if (end === null) return find('result', false, 'without --serve: it did not end in time', 'See docs/drivers.md.');
  const found = findResultLine(driver.stdout());
  find('result', found.ok, found.ok ? 'without --serve: it has a result line' : found.reason, 'See docs/drivers.md.');
}
