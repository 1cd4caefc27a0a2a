/**
 * What Assay itself costs, as ratios within one run: machines are shared and noisy, absolute times say little.
 *   npm run bench             npm run bench -- --small (the size that the tests run)
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeRun, readAll } from './bench-bundle.js';
import { driverLoops } from './bench-drivers.js';
import { benchJournals } from './bench-journals.js';
import { benchTurns } from './bench-turns.js';

const small = process.argv.includes('--small');
const program = fileURLToPath(new URL('../bin/assay.js', import.meta.url));
// On the disk of the checkout, not on a tmpfs, since writing durably is part of the cost.
const scratch = mkdtempSync(join(fileURLToPath(new URL('..', import.meta.url)), 'assay-runs-bench-'));

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const seconds = (work) => {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
};

let failed = false;
function show(name, ratio, limit, note) {
  const ok = limit === null || ratio <= limit;
  failed ||= !ok;
  const bound = limit === null ? '' : `  (limit ${limit}${ok ? '' : ', EXCEEDED'})`;
  process.stdout.write(`${name.padEnd(52)} ${ratio.toFixed(2)}${bound}  ${note}\n`);
}

function startUp() {
  const ratios = Array.from({ length: small ? 7 : 25 }, () => {
    const bare = seconds(() => spawnSync(process.execPath, ['-e', '0']));
    return seconds(() => spawnSync(process.execPath, [program, '--version'])) / bare;
  });
  show('start: assay --version / node -e 0', median(ratios), 1.5, `${ratios.length} pairs`);
}

async function bareTrial(index) {
  const start = process.hrtime.bigint();
  const directory = join(scratch, `bare-${index}`);
  mkdirSync(directory);
  await new Promise((resolve) => spawn('true', { stdio: 'ignore' }).on('close', resolve));
  rmSync(directory, { recursive: true });
  const file = openSync(join(scratch, 'bare.log'), 'a');
  writeSync(file, 'a line\n');
  fdatasyncSync(file);
  closeSync(file);
  return Number(process.hrtime.bigint() - start) / 1e9;
}

async function costOfATrial() {
  const pairs = small ? 20 : 100;
  const ratios = [];
  for (let round = 0; round < (small ? 3 : 5); round++) {
    const bare = [];
    for (let index = 0; index < pairs; index++) bare.push(await bareTrial(index));
    const out = join(scratch, `run-${round}`);
    spawnSync(process.execPath, [
      program,
      'compare',
      'true',
      'true',
      '--pairs',
      String(pairs),
      '--out',
      out,
      '--quiet',
    ]);
    const starts = readFileSync(join(out, 'journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).record)
      .filter((record) => record.kind === 'trial')
      .map((record) => record.account.started_boot_ns / 1e9);
    const cost = median(starts.slice(1).map((start, index) => start - starts[index]));
    ratios.push(cost / median(bare));
  }
  show(
    'a trial: Assay / bare spawn, mkdir, rm, fdatasync',
    median(ratios),
    3,
    `${2 * pairs} trials × ${ratios.length}`,
  );
  const results = statSync(join(scratch, 'run-0', 'results.json')).size;
  const journal = statSync(join(scratch, 'run-0', 'journal.jsonl')).size;
  show('size: results.json / journal.jsonl', results / journal, null, `${results} bytes for ${pairs} pairs`);
}

/** How long a person waits for the report and the verification of a large run. */
async function reportsAndBundles() {
  const trials = small ? 200 : 2000;
  const records = readFileSync(join(scratch, 'run-0', 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).record);
  const run = join(scratch, 'many');
  await makeRun(run, trials, records);
  const bundle = `${run}.tar.gz`;
  const page = join(scratch, 'page.html');
  const assay = (...args) => {
    const ended = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    if (ended.status !== 0) throw new Error(`assay ${args[0]}: ${ended.stdout}${ended.stderr}`);
  };
  const pack = seconds(() => assay('bundle', run));
  const start = median(Array.from({ length: 3 }, () => seconds(() => spawnSync(process.execPath, ['-e', '0']))));
  const reading = (path) => start + seconds(() => readAll(path));
  const times = Array.from({ length: small ? 1 : 3 }, () => ({
    report: seconds(() => assay('report', run)),
    page: seconds(() => assay('report', run, '--format', 'html', '-o', page)),
    verify: seconds(() => assay('verify', bundle)),
    journal: reading(join(run, 'journal.jsonl')),
    bundle: reading(bundle),
  }));
  const took = (name) => median(times.map((one) => one[name]));
  const told = (name) => `${trials} trials, ${took(name).toFixed(1)} s`;
  show('report / node that reads the journal', took('report') / took('journal'), null, told('report'));
  const size = `${told('page')}, ${statSync(page).size} bytes`;
  show('report as html / node that reads the journal', took('page') / took('journal'), null, size);
  show('verify / node that reads the bundle', took('verify') / took('bundle'), null, told('verify'));
  show('bundle / verify', pack / took('verify'), null, `${statSync(bundle).size} bytes`);
}

/** The interval must not lie beyond the limit: one run on a busy machine can show no more, and few short pairs not even that. */
function driversBesideBareLoops() {
  const loops = driverLoops(scratch, small);
  if (typeof loops === 'string') {
    process.stdout.write(`drivers / bare loops: not measured: ${loops}\n`);
    return;
  }
  for (const { name, ratio, interval, pairs } of loops) {
    const [low, high] = interval;
    const beyond = !small && low > 1.02;
    failed ||= beyond;
    const told = `${ratio.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]  (limit 1.02${beyond ? ', EXCEEDED' : ''})`;
    process.stdout.write(`${`time: ${name} / bare loop`.padEnd(52)} ${told}  ${pairs} pairs\n`);
  }
}

try {
  writeFileSync(join(scratch, 'bare.log'), '');
  startUp();
  await costOfATrial();
  await benchJournals({ scratch, small, show });
  await reportsAndBundles();
  driversBesideBareLoops();
  await benchTurns({ scratch, small, show });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
