/** The ways to compare two programs: each takes a budget of time, and says what it found of `cost` beside no cost. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tQuantile } from '../../dist/analysis/stats/distributions.js';

const program = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

/**
 * @typedef {object} Found
 * @property {number} change of the mean time, as a fraction
 * @property {readonly [number, number]} interval at 95 %
 * @property {'slower' | 'faster' | 'inconclusive'} verdict
 */

/** Fewest and most of what is repeated: an even number, and enough for an interval. */
const FEWEST = 4;

/**
 * `units` of a method: what it repeats. A pilot of few and of more of them tells what the first costs and what each does.
 * @returns how many fit into `budget` seconds
 */
export function unitsWithin(budget, measure) {
  const timed = (units) => {
    const start = process.hrtime.bigint();
    measure(units);
    return Number(process.hrtime.bigint() - start) / 1e9;
  };
  const [few, more] = [timed(FEWEST), timed(2 * FEWEST)];
  const each = Math.max((more - few) / FEWEST, more / (10 * FEWEST));
  const fit = 2 * FEWEST + (budget - more) / each;
  return Math.max(FEWEST, 2 * Math.round(fit / 2));
}

/** Runs an experiment; its results, as `results.json` has them. */
function resultsOf(scratch, text) {
  const directory = mkdtempSync(join(scratch, 'assay-'));
  try {
    const file = join(directory, 'experiment.yaml');
    const out = join(directory, 'run');
    writeFileSync(file, text);
    const ended = spawnSync(process.execPath, [program, 'run', file, '--out', out, '--quiet'], { encoding: 'utf8' });
    // 1: slower, which is a result.
    if (ended.status !== 0 && ended.status !== 1) throw new Error(`${ended.stdout}${ended.stderr}`);
    return JSON.parse(readFileSync(join(out, 'results.json'), 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function foundOf({ comparisons }) {
  const [{ change, interval, verdict }] = comparisons;
  return { change, interval, verdict };
}

/** A process of each, one after the other, in counterbalanced order. */
export function pairs(scratch, workload, cost, units) {
  const design = `{warmup: 1, confirmation: {pairs: ${units}}}`;
  return foundOf(resultsOf(scratch, workload.experiment({ cost, from: workload.trial_metric, design })));
}

/** A process of each at the same time, in turns. */
export function slices(scratch, workload, cost, units) {
  const design = `{slices: ${workload.slices}, confirmation: {sessions: ${units}}}`;
  return foundOf(resultsOf(scratch, workload.experiment({ cost, from: '{from: slice}', design })));
}

/** Instructions, which a machine's noise does not change; two pairs beside them, since an experiment times something. */
export function counts(scratch, workload, cost, units) {
  const operations = units * workload.counted_operations;
  const counting = `{tool: callgrind, repeats: 2, region: ${workload.region}, params: {operations: ${operations}}}`;
  const design = '{warmup: 0, confirmation: {pairs: 2}}';
  const request = { cost, from: workload.trial_metric, design, counting, operations };
  const { arms, contrasts } = resultsOf(scratch, workload.experiment(request)).counting;
  const [{ difference, range }] = contrasts;
  const [change, ...interval] = [difference, ...range].map((instructions) => instructions / arms[0].lowest);
  return { change, interval, verdict: directionOf(change, interval) };
}

/** All runs of one program and then all of the other; its means and deviations, by Welch's interval (Welch 1947). */
export function hyperfine(scratch, workload, cost, units) {
  const file = join(scratch, 'hyperfine.json');
  const commands = [0, cost].map((each) => workload.command(each).join(' '));
  const args = ['-N', '--warmup', '1', '--runs', String(units), '--export-json', file, ...commands];
  const ended = spawnSync('hyperfine', args, { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  const [reference, arm] = JSON.parse(readFileSync(file, 'utf8')).results;
  const [a, b] = [reference, arm].map(({ stddev }) => stddev ** 2 / units);
  const df = (a + b) ** 2 / ((a ** 2 + b ** 2) / (units - 1));
  const difference = arm.mean - reference.mean;
  const half = -tQuantile(0.025, df) * Math.sqrt(a + b);
  const interval = [difference - half, difference + half].map((seconds) => seconds / reference.mean);
  const change = difference / reference.mean;
  return { change, interval, verdict: directionOf(change, interval) };
}

function directionOf(change, [low, high]) {
  if (change === 0 || (low <= 0 && high >= 0)) return 'inconclusive';
  return change > 0 ? 'slower' : 'faster';
}
