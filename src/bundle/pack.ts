/** Packs a run: what goes in is digested and computed again first, then written, then read back and verified. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { analyse } from '../analysis/analyse.ts';
import type { AssayError } from '../failures.ts';
import { readRegularFile } from '../io/raw-file.ts';
import { assayVersion } from '../io/version.ts';
import { journalReader, type Replay } from '../journal/replay.ts';
import { existingRunDirectory } from '../run/directory.ts';
import { identityFinder } from '../run/identity.ts';
import { readIdentity } from '../run/identity-file.ts';
import { writeArchive } from './archive-file.ts';
import { type Binary, changed, piecesOf } from './binaries.ts';
import { contentsOf, type PackedFile } from './contents.ts';
import { derivedFiles } from './derived.ts';
import type { Limits } from './limits.ts';
import { encodeManifest, inOrder, MANIFEST, type Manifest, type ManifestFile, SIGNATURE } from './manifest.ts';
import { openRecomputation, type Recomputed } from './recompute.ts';
import { forOwner, OWNERS_REMEDY, refusal } from './refusal.ts';
import { sha256 } from './sha256.ts';
import { signManifest } from './signature.ts';
import { type Verification, verifyBundle } from './verify/verify.ts';

export interface PackOptions {
  readonly output: string;
  /** Whether a file of that name is replaced. */
  readonly force: boolean;
  readonly keepIdentity: boolean;
  /** Whether executables and libraries go in, too. */
  readonly withBinaries: boolean;
  /** Path of a private key for ssh-keygen; null: not signed. */
  readonly key: string | null;
  /** Where drivers were compiled; null where there is no such place. */
  readonly cache: string | null;
  readonly limits: Limits;
  readonly onProgress: (step: 'reading' | 'writing' | 'verifying', done: number, total: number) => void;
  /** Aborted where the user wants an end: then nothing is left behind. */
  readonly stop: AbortSignal;
}

export interface Packed {
  readonly files: number;
  /** Of the archive. */
  readonly bytes: number;
  /** Of its files, uncompressed: the largest one, and all together. */
  readonly largest_bytes: number;
  readonly total_bytes: number;
  readonly absent: Manifest['absent'];
  /** What a person should see before passing it on: which files hold which kinds of identity. */
  readonly identity: readonly { readonly path: string; readonly kinds: readonly string[] }[];
  /** Reports in the directory of the run that are not those in the bundle. */
  readonly outdated: readonly string[];
  readonly verification: Verification;
}

/**
 * Writes the bundle of a run.
 * @throws AssayError `bundle` where the run's files contradict its journal, change meanwhile or are no regular files, or where
 * it cannot be signed; `usage` where there is no run or something of the output's name
 */
export async function packRun(path: string, options: PackOptions): Promise<Packed> {
  try {
    return await packOwnRun(path, options);
  } catch (error) {
    throw forOwner(error);
  }
}

async function packOwnRun(path: string, options: PackOptions): Promise<Packed> {
  const { limits, onProgress, stop } = options;
  const root = realpathSync(existingRunDirectory(path).path);
  const replay = readJournal(root, limits);
  const { run } = replay.journal;
  const contents = await contentsOf(root, replay.journal, { ...options, mostBytes: limits.file_bytes });
  const read = await readAll(root, contents.files, replay, options);
  const evidence = contents.files.map((file) => file.path);
  const derived = await derivedFiles(
    replay.journal,
    read.recomputed,
    analyse(read.recomputed.journal),
    evidence,
    contents.absent,
  );
  const texts = new Map(derived.map((file) => [file.path, Buffer.from(file.text)]));
  const files = [
    ...read.files,
    ...[...texts].map(([name, bytes]) => ({ path: name, bytes: bytes.length, sha256: sha256(bytes) })),
  ].sort((a, b) => inOrder(a.path, b.path));
  const manifest = encodeManifest({
    format: 'assay-bundle',
    version: 1,
    assay: assayVersion(),
    experiment_id: run.experiment_id,
    started_unix_s: Math.floor(run.started_unix_ms / 1000),
    files,
    absent: [...contents.absent],
  });
  const signature = options.key === null ? null : await signManifest(manifest, options.key);

  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const places = new Map(contents.files.map((file) => [file.path, file]));
  async function* members() {
    yield { name: MANIFEST, content: Buffer.from(manifest) };
    if (signature !== null) yield { name: SIGNATURE, content: signature };
    let done = 0;
    for (const file of files) {
      if (stop.aborted) throw stopped();
      const place = places.get(file.path);
      yield place?.binary
        ? { name: file.path, bytes: file.bytes, pieces: samePieces(place, file) }
        : { name: file.path, content: texts.get(file.path) ?? readAgain(file, place, limits) };
      done += file.bytes;
      onProgress('writing', done, total);
    }
  }
  let verification: Verification | null = null;
  const bytes = await writeArchive(
    options.output,
    options.force,
    members(),
    Math.floor(run.started_unix_ms / 1000),
    async (temporary) => {
      verification = await verifyBundle(temporary, {
        // One's own run: it has all the time that it takes.
        limits: { ...limits, seconds: Number.POSITIVE_INFINITY },
        allowedSigners: [],
        onProgress: (done, all) => onProgress('verifying', done, all),
      });
      if (stop.aborted) throw stopped();
      const fault = verification.answers.find(({ outcome }) => outcome === 'failed');
      if (fault !== undefined) throw doesNotVerify(fault.question, fault.why);
    },
  );
  if (verification === null) throw new Error('a bundle is verified before it gets its name');
  const find = identityFinderOf(root);
  const shown = derived
    .map(({ path: name, text }) => ({ path: name, kinds: find(text) }))
    .filter(({ kinds }) => kinds.length > 0);
  const identity = [...read.identity, ...shown].toSorted((a, b) => inOrder(a.path, b.path));
  const outdated = derived.filter((file) => file.report && isOther(root, file.path, file.text));
  return {
    ...{ files: files.length, bytes, absent: contents.absent, identity, verification },
    largest_bytes: files.reduce((most, file) => Math.max(most, file.bytes), 0),
    total_bytes: total,
    outdated: outdated.map((file) => file.path),
  };
}

function readJournal(root: string, limits: Limits): Replay {
  const read = readRegularFile(root, 'journal.jsonl', limits.file_bytes);
  if (!read.ok) throw unreadable('journal.jsonl', read.reason);
  const reader = journalReader(`${basename(root)}/journal.jsonl`);
  reader.push(read.bytes);
  return reader.finish();
}

/** Files are read synchronously, which is several times cheaper; after so many of them signals get a turn. */
const FILES_A_TURN = 50;

interface ReadAll {
  readonly files: readonly ManifestFile[];
  readonly recomputed: Recomputed;
  readonly identity: Packed['identity'];
}

/** Digests of all files; the numbers of the raw output among them; and where identity shows. */
async function readAll(
  root: string,
  files: readonly PackedFile[],
  replay: Replay,
  options: PackOptions,
): Promise<ReadAll> {
  const recomputation = openRecomputation(replay.journal, replay.resumed_at);
  const find = identityFinderOf(root);
  const digested: ManifestFile[] = [];
  const identity: { path: string; kinds: readonly string[] }[] = [];
  for (const [at, file] of files.toSorted((a, b) => inOrder(a.path, b.path)).entries()) {
    if (at % FILES_A_TURN === 0) await turn();
    if (options.stop.aborted) throw stopped();
    const { path, binary } = file;
    if (binary !== null) {
      const read = await readBinary(file, binary, find);
      digested.push(read.file);
      if (read.kinds.length > 0) identity.push({ path, kinds: read.kinds });
      options.onProgress('reading', at + 1, files.length);
      continue;
    }
    const bytes = contentOf(file, options.limits);
    const digest = sha256(bytes);
    digested.push({ path, bytes: bytes.length, sha256: digest });
    if (path.startsWith('raw/')) recomputation.take(path, bytes, digest);
    const kinds = path === 'identity.json' ? [] : find(bytes.toString('utf8'));
    if (kinds.length > 0) identity.push({ path, kinds });
    options.onProgress('reading', at + 1, files.length);
  }
  const recomputed = recomputation.finish();
  if (recomputed.differing.count > 0) throw doesNotVerify('trials', recomputed.differing.text());
  return { files: digested, recomputed, identity };
}

/** Without its side file, as in an unpacked bundle, nobody knows whose run it is. */
function identityFinderOf(root: string): (text: string) => readonly string[] {
  const path = `${root}/identity.json`;
  if (!readRegularFile(root, 'identity.json', Number.MAX_SAFE_INTEGER).ok) return () => [];
  return identityFinder(readIdentity(path).identity);
}

function contentOf({ root, relative, path }: PackedFile, limits: Limits): Buffer {
  const read = readRegularFile(root, relative, limits.file_bytes);
  if (!read.ok) throw unreadable(path, read.reason);
  return read.bytes;
}

/** Identity that begins at the end of a piece is found with the next one. */
const OVERLAP = 4096;

/** The digest of a binary, which must be what was executed, and the kinds of identity that it shows. */
async function readBinary(
  { path, root, relative }: PackedFile,
  binary: Binary,
  find: (text: string) => readonly string[],
): Promise<{ readonly file: ManifestFile; readonly kinds: readonly string[] }> {
  const hash = createHash('sha256');
  const kinds = new Set<string>();
  let before = Buffer.alloc(0);
  for await (const piece of piecesOf(join(root, relative))) {
    hash.update(piece);
    const bytes = Buffer.concat([before, piece]);
    for (const kind of find(bytes.toString('utf8'))) kinds.add(kind);
    before = bytes.subarray(-OVERLAP);
  }
  const digest = hash.digest('hex');
  if (digest !== binary.sha256) throw changed(binary);
  return { file: { path, bytes: binary.bytes, sha256: digest }, kinds: [...kinds] };
}

/** The content of a file that is still what was read before. */
async function* samePieces({ root, relative }: PackedFile, file: ManifestFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of piecesOf(join(root, relative))) {
    bytes += piece.length;
    if (bytes > file.bytes) break;
    hash.update(piece);
    yield piece;
  }
  if (bytes !== file.bytes || hash.digest('hex') !== file.sha256) throw changedMeanwhile(file);
}

function readAgain(file: ManifestFile, place: PackedFile | undefined, limits: Limits): Buffer {
  const bytes = place === undefined ? null : contentOf(place, limits);
  if (bytes !== null && sha256(bytes) === file.sha256) return bytes;
  throw changedMeanwhile(file);
}

function changedMeanwhile({ path }: ManifestFile): AssayError {
  return refusal(
    `${path} changed while it was packed`,
    'Wait until nothing writes to the run any more, then bundle again.',
  );
}

/** Whether a report that was written beside the journal is there, and says something else. Its own directory is part of it. */
function isOther(root: string, path: string, text: string): boolean {
  if (path !== 'results.json') return false;
  const read = readRegularFile(root, path, 2 * Buffer.byteLength(text) + 4096);
  return read.ok ? read.bytes.toString('utf8') !== text : read.reason !== 'does not exist';
}

function unreadable(path: string, reason: string): AssayError {
  return refusal(`${path} ${reason}`, 'Only regular files of the run are packed, up to --max-file-size.');
}

function doesNotVerify(question: string, why: string): AssayError {
  return refusal(`the run does not hold: ${question}: ${why}`, OWNERS_REMEDY);
}

function stopped(): AssayError {
  return refusal('stopped; nothing was written', 'Bundle again when you like.');
}
