/**
 * What a large journal costs: to read it whole, to analyse it, and to find where its run stands. Each beside a bare program
 * that reads the same file a line at a time and gives each to JSON.parse, and each in a process of its own, whose peak of
 * memory is printed.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const TRIALS = 1_000_000;
const TRIALS_SMALL = 10_000;
/** Of the time of the bare program. A journal that is short is mostly start and first lines. */
const LIMITS = { replay: 1.5, resume: 0.35 };

/**
 * Like the trials of a recorded run, in pairs, with times, places and digests of their own; two thirds of the way the run
 * has left a note.
 * @param records of a run of two arms
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
    if (block === blocks.length || (note !== null && bytes - note.extent.bytes < 1 << 20)) return;
    const turn = { block: block + 1, attempt: 1, rejected: 0, gaps: 0 };
    const place = { phase: 0, repeat: -1, turn, repeats: [], interruptions: [] };
    const checkpoint = { ...place, trials: 2 * block, failed: false };
    note = { assay: assayVersion(), extent: { bytes, crc32: sum, head_bytes }, checkpoint, pace: null };
  });
  closeSync(file);
  return note;
}
