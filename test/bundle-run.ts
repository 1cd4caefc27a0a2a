/**
 * Makes the directory of a run as Assay leaves it, without running anything: experiment, plan, journal, and the raw output
 * that the journal's numbers are those of.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExperiment } from '../src/experiment/parse.ts';
import { encodeRecord } from '../src/journal/codec.ts';
import type { JournalRecord, RunRecord, TrialRecord } from '../src/journal/records.ts';
import { phaseSetting } from '../src/plan/phase-setting.ts';
import { makePlan, plannedTrials } from '../src/plan/plan.ts';
import { experimentHash } from '../src/run/first-record.ts';
import { wordingOf } from '../src/trial/driver-wording.ts';
import { readOutput } from '../src/trial/read-output.ts';
import { rawFolder } from '../src/trial/trial-name.ts';
import { journalOf, STARTED_UNIX_MS, trialOf } from './journal-builder.ts';

export interface RunOptions {
  readonly pairs?: number;
  readonly warmup?: number;
  readonly screening?: number;
  /** The last word on every record before it is written. */
  readonly change?: (record: JournalRecord) => JournalRecord;
  readonly stderr?: string;
  /** What the driver says beside its numbers. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Lines of the experiment beside its own. */
  readonly more?: string;
}

const SEED = 7;

function experimentText({ pairs = 4, warmup = 0, screening = 0, more = '' }: RunOptions): string {
  return `title: write path
arms:
  old: {command: [/bin/old]}
  new: {command: [/bin/new]}
metrics:
  - {name: write, unit: ns, primary: true, from: /metrics/write}
  - {name: size, unit: bytes, from: {file: size.txt}}
checks:
  - driver: [verified]
  - equal: /facts/keys
reject: {rules: [{fact: steal, above: 2%}]}
design: {confirmation: {pairs: ${pairs}}, warmup: ${warmup}${screening === 0 ? '' : `, screening: {pairs: ${screening}}`}, seed: ${SEED}}
${more}`;
}

/** Writes the run into `directory`, and returns the records of its journal. */
export function makeRun(directory: string, options: RunOptions = {}): readonly JournalRecord[] {
  const text = experimentText(options);
  const read = readExperiment(text);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const { experiment } = read;
  const plan = makePlan(experiment, SEED);
  const like = journalOf({ values: { write: { old: [1, 2], new: [1, 2] } } });
  const run: RunRecord = {
    ...like.run,
    source: { name: 'experiment.yaml', text, sha256: sha256(text) },
    experiment,
    experiment_id: experimentHash(experiment),
    plan,
  };
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
    return { path, bytes: Buffer.byteLength(content), sha256: sha256(content) };
  };
  const arms = ['old', 'new'].map((arm) => ({
    ...{ arm, build: 0, commands: {}, command: [`/bin/${arm}`], provenance: {}, warnings: [] },
    files: [{ path: `/bin/${arm}`, sha256: sha256(arm), bytes: 1000 }],
  }));
  const heard = new Set<string>();
  const trials = plannedTrials(plan).map((planned, slot): TrialRecord => {
    const folder = rawFolder(planned, 1);
    const write = (planned.arm === 'old' ? 100 : 110) + ((slot * 7) % 5) / 10;
    const { account } = trialOf(planned, slot, {});
    const stdout = `${JSON.stringify({ metrics: { write }, checks: { verified: { ok: true } }, facts: { keys: 42, ...options.facts } })}\n`;
    const stderr = options.stderr ?? '';
    const size = `${1000 + (slot % 3)}`;
    const trial = { ...planned, attempt: 1 };
    const raw = [
      put(`${folder}/stdout`, stdout),
      put(`${folder}/stderr`, stderr),
      put(
        `${folder}/account.json`,
        `${JSON.stringify({ trial, command: [`/bin/${planned.arm}`], account }, null, 2)}\n`,
      ),
      put(`${folder}/files/size.txt`, size),
    ];
    const output = { stdout, stderr, files: { 'size.txt': size }, account };
    const read = readOutput(phaseSetting(experiment, planned.phase), output, null);
    const wording = heard.has(planned.arm) ? null : wordingOf(stdout);
    heard.add(planned.arm);
    return { ...trialOf(planned, slot, {}), ...read, wording, raw };
  });
  const prepared: JournalRecord = {
    kind: 'prepared',
    arms,
    launcher: { kind: 'native', limitations: [], overhead_ns: 500_000 },
    ...{ attribution: [], objects: [], diffs: [], kept: [] },
    counting_tool: null,
  };
  const end: JournalRecord = {
    kind: 'end',
    unix_ms: STARTED_UNIX_MS + trials.length * 1000,
    reason: { kind: 'complete' },
  };
  const records = [run, prepared, ...trials, end].map(options.change ?? ((record) => record));
  put('journal.jsonl', records.map(encodeRecord).join(''));
  return records;
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
