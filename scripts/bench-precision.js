/**
 * How narrow an interval, and how many wrong verdicts, the same time buys by several methods, at known costs.
 *   npm run bench:precision                                      writes its table into docs/calibration.md
 *   npm run bench:precision -- --workload write-batch-construct
 *   npm run bench:precision -- --small                           the size that the tests run; writes nothing
 * Every repetition runs all methods at all costs in an order of its own, so that a change of the machine's noise meets all of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { counts, hyperfine, pairs, slices, unitsWithin } from './precision/methods.js';
import { tableOf, writeTable } from './precision/table.js';
import { batches, fixture } from './precision/workloads.js';

const { values: options } = parseArgs({
  options: {
    workload: { type: 'string', default: 'fixture' },
    budget: { type: 'string', default: '15' },
    repetitions: { type: 'string', default: '10' },
    small: { type: 'boolean', default: false },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(root, 'assay-runs-precision-'));
const say = (text) => process.stdout.write(`${text}\n`);

/** By name; hyperfine and the counts time or count a program that does nothing else. */
function methodsOf(workload) {
  const all = { 'pairs of processes': pairs, slices };
  if (workload.command === undefined) return all;
  const has = (tool) => spawnSync(tool, ['--version']).status === 0;
  return {
    ...(has('hyperfine') ? { hyperfine } : {}),
    ...all,
    ...(has('valgrind') ? { 'counts of instructions': counts } : {}),
  };
}

/** Both CPUs' noise as `assay doctor` measures it. */
function noise() {
  if (options.small) return { machine: 'Not looked at', probe: null };
  const ended = spawnSync(process.execPath, [join(root, 'bin', 'assay.js'), 'doctor', '--json'], { encoding: 'utf8' });
  const { facts, probe } = JSON.parse(ended.stdout);
  return { machine: `${facts.cpu_model ?? 'unknown'}, ${facts.cpus} CPUs`, probe };
}

function shuffled(list) {
  const order = list.map((each) => ({ each, key: Math.random() })).sort((a, b) => a.key - b.key);
  return order.map(({ each }) => each);
}

/** Each repetition tells what all so far have found, so that one that is stopped has told something. */
function measure(tell) {
  const makers = { fixture, 'write-batch-construct': batches };
  const make = makers[options.workload];
  if (make === undefined) throw new Error(`--workload is one of ${Object.keys(makers).join(', ')}`);
  const workload = make(scratch, options.small);
  const methods = Object.entries(methodsOf(workload));
  const budget = options.small ? 3 : Number(options.budget);
  const repetitions = options.small ? 1 : Number(options.repetitions);
  const units = new Map(
    methods.map(([name, method]) => [
      name,
      options.small ? 4 : unitsWithin(budget, (n) => method(scratch, workload, 0, n)),
    ]),
  );
  const before = noise();
  const cells = methods.flatMap(([name, method]) =>
    workload.costs.map((cost) => ({ name, method, cost, units: units.get(name), found: [], seconds: [] })),
  );
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    for (const cell of shuffled(cells)) {
      const start = process.hrtime.bigint();
      cell.found.push(cell.method(scratch, workload, cell.cost, cell.units));
      cell.seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
    }
    say(`repetition ${repetition} of ${repetitions}`);
    tell({ budget, repetitions: repetition, noise: [before, noise()], cells });
  }
}

try {
  let table = '';
  measure((measured) => {
    table = tableOf(measured);
    if (!options.small) writeTable(join(root, 'docs', 'calibration.md'), options.workload, table);
  });
  say(table);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
