/** Takes the files of a bundle in their order, each byte once: digests, the journal, and every trial's raw output. */
import { createHash, type Hash } from 'node:crypto';
import type { Experiment } from '../experiment/experiment.ts';
import { type JournalReader, journalReader, type Replay } from '../journal/replay.ts';
import { nameFault } from './archive/names.ts';
import type { Header } from './archive/tar-header.ts';
import type { FileTaker } from './archive/tar-reader.ts';
import { fewValues } from './bounded-json.ts';
import { collectFaults, type Faults } from './faults.ts';
import {
  type Limits,
  MOST_JOURNAL_LINE_BYTES,
  MOST_LINE_VALUES,
  MOST_MANIFEST_BYTES,
  MOST_SIGNATURE_BYTES,
} from './limits.ts';
import { decodeManifest, MANIFEST, type Manifest, type ManifestFile, SIGNATURE } from './manifest.ts';
import { openRecomputation, type Recomputation, type Recomputed } from './recompute.ts';
import { refusal, refusalText } from './refusal.ts';

export interface Taken {
  readonly manifest: Manifest;
  readonly manifest_bytes: Buffer;
  readonly signature: Buffer | null;
  /** Files that are not what the manifest says. */
  readonly digests: Faults;
  /** Null where the journal cannot be read, for the reason of `journal_fault`. */
  readonly replay: Replay | null;
  readonly journal_fault: string | null;
  /** Null without a journal, or where its raw output does not belong to it, for the reason of `raw_fault`. */
  readonly recomputed: Recomputed | null;
  readonly raw_fault: string | null;
  /** As packed; null where there is none. */
  readonly results: Buffer | null;
}

export interface Intake extends FileTaker {
  /** What is being read, once it is known. */
  readonly manifest: () => Manifest | null;
  finish(): Taken;
}

const JOURNAL = 'journal.jsonl';
const RESULTS = 'results.json';

/** @param archived files have the time of the manifest, as those of an archive do and those of a folder do not */
export function openIntake(limits: Limits, archived: boolean): Intake {
  const digests = collectFaults();
  let manifest: Manifest | null = null;
  let manifestBytes: Buffer = Buffer.alloc(0);
  let signature: Buffer | null = null;
  let next = 0;
  let mtime = 0;
  let content: { readonly name: string; readonly file: ManifestFile | null; readonly kept: Buffer[] | null } | null =
    null;
  let hash: Hash | null = null;
  let reader: JournalReader | null = null;
  let replay: Replay | null = null;
  let journalFault: string | null = null;
  let recomputation: Recomputation | null = null;
  let rawFault: string | null = null;
  let results: Buffer | null = null;

  /** What is wrong with the journal or the raw output is an answer, and no reason to read no further. */
  function noting(work: () => void, note: (fault: string) => void): void {
    try {
      work();
    } catch (error) {
      const fault = refusalText(error);
      if (fault === null) throw error;
      note(fault);
    }
  }
  const noteJournal = (fault: string) => {
    journalFault ??= fault;
    reader = null;
  };
  const noteRaw = (fault: string) => {
    rawFault ??= fault;
    recomputation = null;
  };

  function begin({ name, bytes, mtime: time }: Header): void {
    const shown = JSON.stringify(name);
    const fault = nameFault(name);
    if (fault !== null) throw refusal(`the name ${shown} ${fault}`);
    if (manifest === null) {
      if (name !== MANIFEST) throw refusal(`the first file is ${shown}, not ${MANIFEST}`);
      if (bytes > MOST_MANIFEST_BYTES)
        throw refusal(`${MANIFEST} has ${bytes} bytes, more than ${MOST_MANIFEST_BYTES}`);
      mtime = time;
      content = { name, file: null, kept: [] };
      return;
    }
    if (archived && time !== mtime) throw refusal(`the time of ${shown} is not that of the run`);
    if (name === SIGNATURE && signature === null && next === 0) {
      if (bytes > MOST_SIGNATURE_BYTES) throw refusal(`${SIGNATURE} has ${bytes} bytes, more than a signature has`);
      content = { name, file: null, kept: [] };
      return;
    }
    const file = manifest.files[next];
    if (file?.path !== name) throw refusal(misplaced(manifest, name, next));
    if (file.bytes !== bytes) throw refusal(`${name} has ${bytes} bytes, ${file.bytes} in ${MANIFEST}`);
    next += 1;
    hash = createHash('sha256');
    content = { name, file, kept: name === RESULTS || name.startsWith('raw/') ? [] : null };
    if (name === JOURNAL) reader = journalReader(JOURNAL, acceptLine, MOST_JOURNAL_LINE_BYTES);
  }

  function data(bytes: Buffer): void {
    hash?.update(bytes);
    content?.kept?.push(Buffer.from(bytes));
    const journal = content?.name === JOURNAL ? reader : null;
    if (journal !== null) noting(() => journal.push(bytes), noteJournal);
  }

  function end(): void {
    if (content === null) return;
    const { name, file, kept } = content;
    content = null;
    const bytes = kept === null ? null : Buffer.concat(kept);
    if (file === null) takeOwn(name, bytes ?? Buffer.alloc(0));
    else takeFile(name, file, bytes);
  }

  function takeOwn(name: string, bytes: Buffer): void {
    if (name === SIGNATURE) {
      signature = bytes;
      return;
    }
    manifestBytes = bytes;
    manifest = decodeManifest(bytes, limits);
    if (archived && manifest.started_unix_s !== mtime) throw refusal('the time of the files is not that of the run');
  }

  function takeFile(name: string, file: ManifestFile, bytes: Buffer | null): void {
    const sha256 = hash?.digest('hex') ?? '';
    hash = null;
    if (sha256 !== file.sha256) digests.add(`${name} is not what ${MANIFEST} says: its digest differs`);
    if (name === JOURNAL) endJournal();
    if (name === RESULTS) results = bytes;
    const computing = recomputation;
    if (computing !== null && bytes !== null && name.startsWith('raw/')) {
      noting(() => computing.take(name, bytes, sha256), noteRaw);
    }
  }

  function endJournal(): void {
    const whole = reader;
    if (whole === null) return;
    noting(() => {
      replay = whole.finish();
    }, noteJournal);
    const { journal, resumed_at } = replay ?? { journal: null, resumed_at: [] };
    const excess = journal === null ? null : excessOf(journal.run.experiment);
    if (journal === null || excess !== null) {
      replay = null;
      if (excess !== null) noteJournal(`${JOURNAL}: the experiment has ${excess}`);
      return;
    }
    noting(() => {
      recomputation = openRecomputation(journal, resumed_at, limits.seconds);
    }, noteRaw);
  }

  return {
    ...{ begin, data, end },
    manifest: () => manifest,
    finish() {
      if (manifest === null) throw refusal(`there is no ${MANIFEST}`);
      const missing = manifest.files[next];
      if (missing !== undefined) throw refusal(`${missing.path} is in ${MANIFEST}, but not there`);
      if (replay === null) journalFault ??= `there is no ${JOURNAL}`;
      const recomputed = recomputation?.finish() ?? null;
      return {
        ...{ manifest, manifest_bytes: manifestBytes, signature, digests },
        ...{ replay, journal_fault: journalFault, recomputed, raw_fault: rawFault, results },
      };
    },
  };
}

/** What no experiment file may hold, and what takes long to compute; null where there is nothing of the kind. */
function excessOf({ arms, metrics, checks, design, reject, calibrates }: Experiment): string | null {
  const confirmed = (calibrates?.runs ?? 1) * design.confirmation_pairs;
  const most: readonly (readonly [what: string, count: number, limit: number])[] = [
    ['arms', arms.length, 100],
    ['metrics', metrics.length, 100],
    ['checks', checks.length, 100],
    ['rules of rejection', reject.rules.length, 100],
    ['pairs', Math.max(confirmed, design.screening_pairs, design.warmup), 10_000],
  ];
  const excess = most.find(([, count, limit]) => count > limit);
  return excess === undefined ? null : `${excess[1]} ${excess[0]}, more than ${excess[2]}`;
}

function acceptLine(line: Buffer): string | null {
  return fewValues(line, MOST_LINE_VALUES) ? null : 'holds more values than a record has';
}

function misplaced(manifest: Manifest, name: string, next: number): string {
  const at = manifest.files.findIndex(({ path }) => path === name);
  if (name === MANIFEST || name === SIGNATURE || (at !== -1 && at < next)) return `${name} is there twice`;
  if (at === -1) return `${name} is not in ${MANIFEST}`;
  return `${name} stands where ${manifest.files[next]?.path ?? 'the end'} should: a file is missing or out of its place`;
}
