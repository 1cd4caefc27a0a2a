/**
 * Makes a benchmark work in slices, for Assay: `assay driver-check -- node driver.js …` says whether it does.
 * One file without dependencies, for Node.js 20 or later; copy it if you like. The protocol is in docs/slices.md.
 *
 *     import { isServing, serve } from './slices.js';
 *
 *     if (isServing()) await serve({ work, finish });
 */
import { readSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const REQUESTS = 3;
const ANSWERS = 4;
const LONGEST_LINE = 512;

/**
 * @typedef {object} Slices
 * @property {(operations: number) => unknown} work does so many operations; a promise is waited for
 * @property {(operations: number) => Result | Promise<Result>} finish verifies everything; is told how many operations
 *   were done in all
 * @property {number} [unit] the numbers of operations are multiples of it (1)
 * @property {number} [most] how many operations can be done in all; left out: any number
 * @property {() => boolean} [idle] whether no background work is going on; where there is some, it is waited for before
 *   the other arm gets its turn
 * @property {() => void} [begin] just before the clock starts: switches counters on, as an example
 * @property {() => string} [end] just after it stops; what it returns goes into the answer: ` cycles=12 enabled=9 running=9`
 *
 * @typedef {object} Result
 * @property {Record<string, { ok: boolean, detail?: string }>} checks
 * @property {Record<string, number>} [metrics]
 * @property {Record<string, unknown>} [facts]
 */

/** Whether Assay asks for slices: the command ends with `--serve`. */
export function isServing(argv = process.argv) {
  return argv.at(-1) === '--serve';
}

/**
 * Works as Assay asks, until it says `finish` or hangs up. Prints the result line, and sets the exit code: 0, or 1 where
 * a check is not ok. Throws what `work` throws, and an Error for a request that is none.
 * @param {Slices} slices
 */
export async function serve({ work, finish, unit = 1, most, idle = () => true, begin, end }) {
  let total = 0;
  answer(`ready 1 unit=${unit}${most === undefined ? '' : ` most=${most}`}`);
  for (;;) {
    const request = readLine();
    if (request === null) {
      process.exitCode = 1; // Assay has given up: there is nobody to report to
      return;
    }
    if (request === 'finish') break;
    if (request === 'rest') {
      while (!idle()) await delay(1);
      answer('rested');
      continue;
    }
    const { prelude, operations } = parseSlice(request);
    total += prelude + operations;
    if (prelude > 0) await work(prelude);
    const before = process.resourceUsage();
    begin?.();
    const start = process.hrtime.bigint();
    const pending = work(operations); // waiting costs time: only for a promise
    if (pending instanceof Promise) await pending;
    const wall = process.hrtime.bigint() - start;
    const counts = end?.() ?? '';
    const after = process.resourceUsage();
    const cpu = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) * 1000;
    const voluntary = after.voluntaryContextSwitches - before.voluntaryContextSwitches;
    const involuntary = after.involuntaryContextSwitches - before.involuntaryContextSwitches;
    const state = idle() ? 'idle' : 'busy';
    answer(`done ${operations} ${wall} ${cpu} ${voluntary} ${involuntary} ${state}${counts}`);
  }
  const { checks, metrics = {}, facts = {} } = await finish(total);
  const did = total > 0 ? { operations: total } : {};
  writeAll(1, `${JSON.stringify({ metrics, checks, facts, ...did })}\n`);
  process.exitCode = Object.values(checks).every(({ ok }) => ok) ? 0 : 1;
}

function parseSlice(request) {
  const numbers = /^slice (\d{1,15}) (\d{1,15})$/.exec(request);
  if (numbers === null) throw new Error(`no request of the protocol: ${JSON.stringify(request)}`);
  return { prelude: Number(numbers[1]), operations: Number(numbers[2]) };
}

function answer(line) {
  writeAll(ANSWERS, `${line}\n`);
}

const buffer = Buffer.alloc(LONGEST_LINE);
let used = 0;

/** The next request without its end; null at the end of the requests. */
function readLine() {
  for (;;) {
    const end = buffer.subarray(0, used).indexOf(10);
    if (end >= 0) {
      const line = buffer.toString('latin1', 0, end);
      buffer.copy(buffer, 0, end + 1, used);
      used -= end + 1;
      return line;
    }
    if (used === buffer.length) throw new Error('a request is longer than 512 bytes');
    const got = patiently(() => readSync(REQUESTS, buffer, used, buffer.length - used, null));
    if (got === 0) return null;
    used += got;
  }
}

function writeAll(file, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += patiently(() => writeSync(file, bytes, at));
}

/** Descriptors block, unless whoever started this program has them otherwise. */
function patiently(work) {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
