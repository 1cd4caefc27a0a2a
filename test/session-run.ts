/** Makes the directory of a run of sessions as Assay leaves it, without running anything. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExperiment } from '../src/experiment/parse.ts';
import { encodeRecord } from '../src/journal/codec.ts';
import type { JournalRecord, RunRecord, SessionRecord, SessionSlices, TrialLine } from '../src/journal/records.ts';
import { phaseSetting } from '../src/plan/phase-setting.ts';
import { makePlan, type PlannedTrial, plannedTrials } from '../src/plan/plan.ts';
import { type Pace, paceOf, quadsOf } from '../src/plan/slices.ts';
import { experimentHash } from '../src/run/first-record.ts';
import { readOutput } from '../src/trial/read-output.ts';
import type { SessionHalf } from '../src/trial/slice-metrics.ts';
import { operationsAsked, SLICES_FILE } from '../src/trial/slices-file.ts';
import { rawFolder } from '../src/trial/trial-name.ts';
import { sha256 } from './bundle-run.ts';
import { journalOf, STARTED_UNIX_MS, trialOf } from './journal-builder.ts';
import { fileOf, type Quad, sessionOf } from './session-slices.ts';

const SEED = 7;
const TEXT = `title: in turns
arms:
  old: {command: [/bin/old]}
  new: {command: [/bin/new]}
metrics:
  - {name: write, from: slice}
  - {name: stalls, from: slice.stalls}
design: {slices: {length: 100us, session: 2ms}, confirmation: {sessions: 2}, seed: ${SEED}}
`;
/** What an operation takes, in ns, before and after. */
const NS = { old: 100, new: 110 };

/** What the drivers of a session did where quads, or a ramp, were asked for. */
function slicesOf(arms: readonly string[], quads: readonly Quad[]): SessionSlices {
  const ns = (subject: number) => NS[arms[subject] as keyof typeof NS];
  const done = quads.map((quad, at) => {
    const { leader = 0 } = quad;
    const jitter = at % 5;
    return { ...quad, ns: [leader, 1 - leader, 1 - leader, leader].map((subject) => ns(subject) + jitter) as never };
  });
  return sessionOf(done);
}

const ramp = (): Quad[] =>
  [16, 32, 64, 128, 256, 512, 1024, 1024].map((operations) => ({ operations, ns: [0, 0, 0, 0] }));

/** Writes the run into `directory`: a warm-up and two sessions. */
export function makeSessionRun(
  directory: string,
  /** The last word on the slices of each session before they are written. */
  change: (session: SessionSlices, phase: string, block: number) => SessionSlices = (session) => session,
): void {
  const read = readExperiment(TEXT);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const { experiment } = read;
  const { slices } = experiment.design;
  if (slices === null) throw new Error('there are no slices');
  const plan = makePlan(experiment, SEED);
  const like = journalOf({ values: { write: { old: [1, 2], new: [1, 2] } } });
  const run: RunRecord = {
    ...like.run,
    ...{ experiment, experiment_id: experimentHash(experiment), plan },
    source: { name: 'experiment.yaml', text: TEXT, sha256: sha256(TEXT) },
  };
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
    return { path, bytes: Buffer.byteLength(content), sha256: sha256(content) };
  };
  let pace: Pace | null = null;
  const half = (planned: PlannedTrial, slot: number, known: SessionHalf): TrialLine => {
    const folder = rawFolder(planned, 1);
    const { session: _, ...line } = trialOf(planned, slot, {});
    const operations = known.slices === null ? undefined : operationsAsked(known.slices);
    const stdout = `${JSON.stringify({ operations })}\n`;
    const session = { fault: known.fault, asked: known.asked };
    const trial = { ...planned, attempt: 1 };
    const account = { trial, command: [`/bin/${planned.arm}`], account: line.account, session };
    const raw = [
      put(`${folder}/stdout`, stdout),
      put(`${folder}/stderr`, ''),
      put(`${folder}/account.json`, `${JSON.stringify(account, null, 2)}\n`),
      ...(known.subject === 0 && known.slices !== null ? [put(`${folder}/${SLICES_FILE}`, fileOf(known.slices))] : []),
    ];
    const output = { stdout, stderr: '', files: {}, account: line.account };
    return { ...line, ...readOutput(phaseSetting(experiment, planned.phase), output, null, known), raw };
  };
  const trials = plannedTrials(plan);
  const sessions = trials.flatMap((first, slot): SessionRecord[] => {
    const second = trials[slot + 1];
    if (first.position !== 1 || second === undefined) return [];
    const arms = [first.arm, second.arm];
    const place = { ...first, attempt: 1 };
    const quads = pace === null ? null : quadsOf(experiment, slices, SEED, place, pace);
    const drawn = (quads ?? []).map((quad) => ({ ...quad, ns: [0, 0, 0, 0] as const }));
    const done = slicesOf(arms, quads === null ? ramp() : drawn);
    const planned =
      quads === null
        ? done
        : { ...done, prelude: quads.map(({ prelude }) => prelude), gap_ns: quads.map(({ gap_ns }) => gap_ns) };
    const session = change(planned, first.phase, first.block);
    const known = { slices: session, fault: null, asked: quads === null ? null : 4 * quads.length };
    const lines = [
      half(first, slot, { ...known, subject: 0 }),
      half(second, slot + 1, { ...known, subject: 1 }),
    ] as const;
    if (first.phase === 'warmup')
      pace = paceOf(
        slices,
        lines.map((line) => ({ ...line, session })),
      );
    return [{ kind: 'session', trials: lines, slices: session }];
  });
  const prepared: JournalRecord = {
    kind: 'prepared',
    arms: ['old', 'new'].map((arm) => ({
      ...{ arm, build: 0, commands: {}, command: [`/bin/${arm}`], provenance: {}, warnings: [] },
      files: [{ path: `/bin/${arm}`, sha256: sha256(arm), bytes: 1000 }],
    })),
    launcher: { kind: 'native', limitations: [], overhead_ns: 500_000 },
    attribution: [],
    objects: [],
    diffs: [],
    kept: null,
    counting_tool: null,
  };
  const end: JournalRecord = { kind: 'end', unix_ms: STARTED_UNIX_MS + 9000, reason: { kind: 'complete' } };
  put('journal.jsonl', [run, prepared, ...sessions, end].map(encodeRecord).join(''));
}
