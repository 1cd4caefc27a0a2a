/**
 * Makes the directory of a run as Assay leaves it, without running anything: experiment, plan, journal, and the raw output
 * that the journal's numbers are those of.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExperiment } from '../src/experiment/parse.ts';
import { encodeRecord } from '../src/journal/codec.ts';
import type { JournalRecord, RunRecord, SourceDiff, TrialRecord } from '../src/journal/records.ts';
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
  /** Whether arms are revisions of git, with programs that lie in `DIRECTORY.programs`, and files about them were kept. */
  readonly evidence?: boolean;
}

const SEED = 7;

const COMMANDS = `
  old: {command: [/bin/old]}
  new: {command: [/bin/new]}`;
const REVISIONS = `
  old: {git: {repo: engine, rev: v1}, command: ["{arm.dir}/bench"]}
  new: {git: {repo: engine, rev: v2}, command: ["{arm.dir}/bench"]}`;

function experimentText({ pairs = 4, warmup = 0, screening = 0, more = '', evidence = false }: RunOptions): string {
  return `title: write path
arms:${evidence ? REVISIONS : COMMANDS}
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
  const isGit = options.evidence === true;
  const arms = ['old', 'new'].map((arm) => ({
    ...{ arm, build: 0, commands: {}, command: [`/bin/${arm}`], warnings: [] },
    provenance: isGit ? { source: 'git', tree: arm, build_log_sha256: sha256(`built ${arm}`) } : {},
    files: isGit
      ? [{ path: '{arm.dir}/bench', ...digestOf(program(arm)) }]
      : [{ path: `/bin/${arm}`, sha256: sha256(arm), bytes: 1000 }],
  }));
  const sides = { arm: 'new', reference: 'old' };
  const path = 'arms/new/from-old.diff';
  const kept = isGit
    ? [put(path, DIFF), ...['old', 'new'].map((arm) => put(`arms/${arm}/build.log`, `built ${arm}`))]
    : [];
  if (isGit) putPrograms(directory);
  const diff: SourceDiff = isGit
    ? { kind: 'diff', ...sides, path, bytes: 9, kept_bytes: 9, files: 1, lines_added: 1, lines_removed: 1 }
    : { kind: 'none', ...sides, why: 'old and new are no revisions of git' };
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
    ...{ attribution: [], objects: [], diffs: [diff], kept },
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

const DIFF = '-one\n+two\n';

/** What an arm's program is: as far as anybody looks, of machine code. */
export function program(arm: string): string {
  return `\x7fELF the program of ${arm}\n`;
}

/** Writes the programs, and the side file that says where they are. */
function putPrograms(directory: string): void {
  const places = ['old', 'new'].map((arm) => {
    const path = join(`${directory}.programs`, arm);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, program(arm));
    return { arm, build: 0, paths: [path] };
  });
  const identity = { user: 'root', host: 'localhost', home: '/', experiment_dir: directory, env: {} };
  const source = { name: 'experiment.yaml', directory, text: '' };
  writeFileSync(join(directory, 'identity.json'), JSON.stringify({ identity, source, places }));
}

function digestOf(content: string) {
  return { sha256: sha256(content), bytes: Buffer.byteLength(content) };
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
