/** Reports and verification of a run of 2,000 trials, as times of reading the same bytes. */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EXPERIMENT = (pairs) => `title: bench of bundles
arms:
  old: {command: [/bin/old]}
  new: {command: [/bin/new]}
metrics:
  - {name: write, unit: ns, primary: true, from: /metrics/write}
  - {name: wall}
design: {confirmation: {pairs: ${pairs}}, seed: 7}
`;

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** Writes a run of so many trials, like those of `records`, which a real run has made. */
export async function makeRun(directory, trials, records) {
  const { readExperiment } = await import('../dist/experiment/parse.js');
  const { encodeRecord } = await import('../dist/journal/codec.js');
  const { makePlan, plannedTrials } = await import('../dist/plan/plan.js');
  const { experimentHash } = await import('../dist/run/first-record.js');
  const { readOutput } = await import('../dist/trial/read-output.js');
  const { rawFolder } = await import('../dist/trial/trial-name.js');
  const text = EXPERIMENT(trials / 2);
  const { experiment } = readExperiment(text);
  const plan = makePlan(experiment, 7);
  const run = records.find(({ kind }) => kind === 'run');
  const like = records.find(({ kind, phase }) => kind === 'trial' && phase === 'confirmation');
  const source = { name: 'experiment.yaml', text, sha256: sha256(text) };
  const lines = [{ ...run, source, experiment, experiment_id: experimentHash(experiment), plan }];
  const prepared = records.find(({ kind }) => kind === 'prepared');
  const arms = ['old', 'new'].map((arm) => ({ ...prepared.arms[0], arm, command: [`/bin/${arm}`] }));
  const diffs = prepared.diffs.map((diff) => ({ ...diff, arm: 'new', reference: 'old' }));
  lines.push({ ...prepared, arms, diffs });
  const put = (path, content) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
    return { path, bytes: Buffer.byteLength(content), sha256: sha256(content) };
  };
  for (const [slot, planned] of plannedTrials(plan).entries()) {
    const folder = rawFolder(planned, 1);
    const started = 1e9 + slot * 2e9;
    const account = { ...like.account, wall_ns: 1e9 + slot, started_boot_ns: started, ended_boot_ns: started + 1e9 };
    const write = (planned.arm === 'old' ? 100 : 101) + ((slot * 7919) % 101) / 10;
    const stdout = `${'a line of output, as programs print it\n'.repeat(20)}${JSON.stringify({ metrics: { write } })}\n`;
    const trial = { ...planned, attempt: 1 };
    const whole = { trial, command: [`/bin/${planned.arm}`], account };
    const raw = [
      put(`${folder}/stdout`, stdout),
      put(`${folder}/stderr`, ''),
      put(`${folder}/account.json`, `${JSON.stringify(whole, null, 2)}\n`),
    ];
    const read = readOutput(experiment, { stdout, stderr: '', files: {}, account });
    lines.push({ ...like, ...trial, account, ...read, raw });
  }
  lines.push(records.at(-1));
  put('journal.jsonl', lines.map(encodeRecord).join(''));
}

/** Reads a file to its end, as `cat` does. */
export function readAll(path) {
  const chunk = Buffer.alloc(1 << 16);
  const file = openSync(path, 'r');
  while (readSync(file, chunk) > 0);
  closeSync(file);
}
