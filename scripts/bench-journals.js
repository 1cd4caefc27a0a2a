/**
 * What a large journal costs: to read it whole, and to find where its run stands, each beside a bare program that reads the same
 * file a line at a time and gives each to JSON.parse; and to analyse it, beside a bare program that takes mean and deviation of
 * each metric's log ratios from the same columns. Each is in a process of its own, whose peak of memory is printed. The time of an
 * analysis and of its bare program begins where the trials are in columns; their peak is that of the whole process, which has read
 * the journal too.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const TRIALS = 1_000_000;
const TRIALS_SMALL = 10_000;
/** Of the time of the bare program. A journal that is short is mostly start and first lines. */
const LIMITS = { replay: 1.5, resume: 0.35, analysis: 60 };
/** Of a process that analyses, and has read the journal before. */
const MOST_ANALYSIS_MB = 500;
/** Threads that collect garbage beside the work come late where others keep the CPUs busy: the peak would be one of the machine. */
const COLLECTED_IN_TURN = ['--single-threaded-gc'];

/**
 * Like the trials of a recorded run, in pairs, with times and places of their own.
 * @param records of a run of two arms
 * @returns the last note of how far the run has come that lies beside such a journal, or null where it is too short for one
 */
async function makeJournal(path, trials, records) {
  const { encodeRecord } = await import('../dist/journal/codec.js');
  const { assayVersion } = await import('../dist/io/version.js');
  const run = records.find((record) => record.kind === 'run');
  const sample = records.filter((record) => record.kind === 'trial' && record.phase === 'confirmation');
  const [first, second] = new Set(sample.map((record) => record.arm));
  const blocks = Array.from({ length: trials / 2 }, (_, index) =>
    index % 4 < 2 === (index % 2 === 0) ? [first, second] : [second, first],
  );
  const design = { ...run.experiment.design, confirmation_pairs: blocks.length };
  const plan = { ...run.plan, phases: [{ phase: 'confirmation', blocks }] };
  const file = openSync(path, 'w');
  let lines = '';
  let bytes = 0;
  let sum = 0;
  const flush = () => {
    const chunk = Buffer.from(lines);
    writeSync(file, chunk);
    bytes += chunk.length;
    sum = crc32(chunk, sum);
    lines = '';
  };
  lines += encodeRecord({ ...run, plan, experiment: { ...run.experiment, design } });
  lines += encodeRecord(records.find((record) => record.kind === 'prepared'));
  flush();
  const head_bytes = bytes;
  let note = null;
  let started = 1e12;
  blocks.forEach((arms, index) => {
    const block = index + 1;
    arms.forEach((arm, place) => {
      const position = place + 1;
      const like = sample[(2 * index + place) % sample.length];
      // Digits without a pattern, the same in every run of this.
      const wall_ns = 1_000_000 + (crc32(`${block} ${position}`) % 200_000);
      const times = { wall_ns, started_boot_ns: started, ended_boot_ns: started + wall_ns };
      started += wall_ns + 1_000_000;
      const folder = `raw/confirmation-${String(block).padStart(4, '0')}-${position}-${arm}`;
      lines += encodeRecord({
        ...like,
        ...{ block, position, arm, attempt: 1 },
        account: { ...like.account, ...times },
        metrics: { ...like.metrics, wall: wall_ns },
        raw: like.raw.map((one) => ({ ...one, path: one.path.replace(/^raw\/[^/]*/, folder) })),
      });
    });
    if (lines.length < 1 << 20 && block < blocks.length) return;
    flush();
    // A resume has up to 1 MiB after the last note to read.
    if (block === blocks.length) return;
    const turn = { block: block + 1, attempt: 1, rejected: 0, gaps: 0 };
    const place = { phase: 0, repeat: -1, turn, repeats: [], interruptions: [] };
    const checkpoint = { ...place, trials: 2 * block, failed: false };
    note = { assay: assayVersion(), extent: { bytes, crc32: sum, head_bytes }, checkpoint, pace: null };
  });
  lines += encodeRecord(records.find((record) => record.kind === 'end'));
  flush();
  closeSync(file);
  return note;
}

/** What each process measures, by name: the work alone, without the start of Node. */
const WORK = {
  async parse(path) {
    return timed(() => eachLine(path, (line) => JSON.parse(line)));
  },
  async replay(path) {
    const { replayJournal } = await import('../dist/journal/replay.js');
    return timed(() => replayJournal(path));
  },
  async analysis(path) {
    const { replayJournal } = await import('../dist/journal/replay.js');
    const { analyse } = await import('../dist/analysis/analyse.js');
    const { journal } = replayJournal(path);
    return timed(() => analyse(journal));
  },
  async moments(path) {
    const { replayJournal } = await import('../dist/journal/replay.js');
    const { journal } = replayJournal(path);
    return timed(() => logRatioMoments(journal));
  },
  async resume(path) {
    const { standingOf } = await import('../dist/run/standing.js');
    const directory = { path: dirname(path), journal: path, progress: `${path}.progress`, identity: '', lock: '' };
    return timed(() => standingOf(directory).progress.next());
  },
};

/** CPU time of all threads, collection of garbage too, since others' work on the machine is in the wall time of either side. */
function timed(work) {
  const start = process.hrtime.bigint();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpu_s: (user + system) / 1e6, wall_s: Number(process.hrtime.bigint() - start) / 1e9 };
}

/** Mean and deviation by metric (Welford 1962), of pairs as the trials come. */
function logRatioMoments({ run, trials }) {
  const { metrics, reference } = run.experiment;
  const moments = metrics.map(({ name }) => ({ name, count: 0, mean: 0, squares: 0 }));
  for (let at = 0; at + 1 < trials.length; at += 2) {
    const [first, second] = [trials[at], trials[at + 1]];
    const isFirst = first.arm === reference;
    const base = (isFirst ? first : second).metrics;
    const own = (isFirst ? second : first).metrics;
    for (const moment of moments) {
      const change = Math.log(own[moment.name] / base[moment.name]);
      const distance = change - moment.mean;
      moment.count += 1;
      moment.mean += distance / moment.count;
      moment.squares += distance * (change - moment.mean);
    }
  }
  return moments.map(({ name, count, mean, squares }) => ({ name, mean, sd: Math.sqrt(squares / (count - 1)) }));
}

function eachLine(path, take) {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(1 << 20);
  let rest = Buffer.alloc(0);
  for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      take(bytes.toString('utf8', start, end));
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
  closeSync(file);
}

function measured(work, path, flags = []) {
  const args = [...flags, fileURLToPath(import.meta.url), work, path];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${work}: ${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

/** @param show name, ratio, limit or null, note */
export async function benchJournals({ scratch, small, show }) {
  const records = readFileSync(join(scratch, 'run-0', 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).record);
  const trials = small ? TRIALS_SMALL : TRIALS;
  const path = join(scratch, 'large.jsonl');
  writeFileSync(`${path}.progress`, JSON.stringify(await makeJournal(path, trials, records)));
  const parse = measured('parse', path);
  for (const [work, name, bare] of [
    ['replay', 'replay of a journal / bare JSON.parse of it', parse],
    ['resume', 'where a run stands / bare JSON.parse of it', parse],
    ['analysis', 'analysis from columns / their means and deviations', measured('moments', path)],
  ]) {
    const { cpu_s, wall_s, peak_mb } = measured(work, path);
    const times = `CPU ${cpu_s.toFixed(2)} s (bare ${bare.cpu_s.toFixed(2)} s), wall ${wall_s.toFixed(2)} s`;
    const note = `${times}, at most ${peak_mb.toFixed(0)} MB; ${trials} trials`;
    show(name, cpu_s / bare.cpu_s, small ? null : LIMITS[work], note);
  }
  const { peak_mb } = measured('analysis', path, COLLECTED_IN_TURN);
  const read = 'the process has read the journal too; garbage is collected by its own thread';
  show('memory of an analysis, in MB', peak_mb, small ? null : MOST_ANALYSIS_MB, read);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , work, path] = process.argv;
  const took = await WORK[work](path);
  process.stdout.write(JSON.stringify({ ...took, peak_mb: process.resourceUsage().maxRSS / 1e3 }));
}
