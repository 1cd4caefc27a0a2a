/** Where a bundle is read from: an archive, or the folder that somebody unpacked it to. Nothing is written or executed. */
import { constants, readdirSync, realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import { readRegularFile } from '../io/raw-file.ts';
import { type ByteSource, inflateMember } from './archive/gzip.ts';
import { tarReader } from './archive/tar-reader.ts';
import { type Intake, openIntake, type Taken } from './intake.ts';
import { type Limits, MOST_MANIFEST_BYTES, MOST_SIGNATURE_BYTES } from './limits.ts';
import { MANIFEST, SIGNATURE } from './manifest.ts';
import { refusal } from './refusal.ts';

/** Told how much has been read, of how much. */
export type OnProgress = (done: number, total: number) => void;

/** All of a bundle at a path. Throws `bundle` where it is refused, `usage` or `file` where there is nothing to read. */
export async function takeBundle(path: string, limits: Limits, onProgress: OnProgress): Promise<Taken> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw notThere(path, error);
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) return takeFolder(path, limits, onProgress);
    if (!stat.isFile()) throw notABundle(`${path} is neither a file nor a folder`);
    return await takeArchive(sourceOf(handle, stat.size), limits, onProgress);
  } finally {
    await handle.close();
  }
}

/** All of a bundle in an archive. Throws `bundle` where it is refused. */
export async function takeArchive(
  source: ByteSource,
  limits: Limits,
  onProgress: OnProgress = () => {},
): Promise<Taken> {
  const intake = openIntake(limits, true);
  const reader = tarReader(intake);
  let total = 0;
  const most = limits.total_bytes + MOST_MANIFEST_BYTES + MOST_SIGNATURE_BYTES + 1024 * (limits.files + 4);
  for await (const chunk of inflateMember(source, limits, (bytes) => onProgress(bytes, source.bytes))) {
    total += chunk.length;
    if (total > most) throw refusal(`more than ${most} bytes come out of it`);
    reader.push(chunk);
  }
  reader.finish();
  return intake.finish();
}

function sourceOf(handle: FileHandle, bytes: number): ByteSource {
  return {
    bytes,
    async read(position, length) {
      const buffer = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
        if (bytesRead === 0) throw refusal('the file became shorter while it was read');
        done += bytesRead;
      }
      return buffer;
    },
  };
}

function takeFolder(path: string, limits: Limits, onProgress: OnProgress): Taken {
  const root = realpathSync(path);
  const intake = openIntake(limits, false);
  const present = new Set(filesIn(root, limits.files + 2));
  if (!present.has(MANIFEST)) {
    throw notABundle(
      present.has('journal.jsonl')
        ? `${path} is the directory of a run, not a bundle: it has no ${MANIFEST}`
        : `${path} has no ${MANIFEST}`,
    );
  }
  const take = (name: string, most: number) => {
    const read = readRegularFile(root, name, most);
    if (!read.ok) throw refusal(`${name} ${read.reason}`);
    give(intake, name, read.bytes);
    present.delete(name);
  };
  take(MANIFEST, MOST_MANIFEST_BYTES);
  if (present.has(SIGNATURE)) take(SIGNATURE, MOST_SIGNATURE_BYTES);
  const files = intake.manifest()?.files ?? [];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { path: name, bytes } of files) {
    take(name, limits.file_bytes);
    done += bytes;
    onProgress(done, total);
  }
  const [extra] = present;
  if (extra !== undefined) throw refusal(`${JSON.stringify(extra)} is not in ${MANIFEST}`, ALONE);
  return intake.finish();
}

/** What a stranger does who unpacks an archive where it lies. */
const ALONE = 'An unpacked bundle lies alone: unpack it into an empty directory, or verify the file itself.';

function give(intake: Intake, name: string, bytes: Buffer): void {
  intake.begin({ name, bytes: bytes.length, mtime: 0 });
  intake.data(bytes);
  intake.end();
}

/** Relative names of all regular files; anything else that is no folder is refused, and never followed. */
function filesIn(root: string, most: number): string[] {
  const found: string[] = [];
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else if (entry.isFile()) found.push(name);
      else throw refusal(`${JSON.stringify(name)} is not a regular file`);
      if (found.length + pending.length > most) throw refusal(`the folder holds more than ${most} files`);
    }
  }
  return found;
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    throw fileFailure(error, path, 'list the folder');
  }
}

function notThere(path: string, error: unknown): AssayError {
  const failure = fileFailure(error, path, 'read the bundle');
  if (failure.failure.kind !== 'file' || failure.failure.code !== 'ENOENT') return failure;
  return notABundle(`there is no file ${path}`);
}

function notABundle(message: string): AssayError {
  return new AssayError({
    kind: 'usage',
    message,
    remedy: 'Name the file that `assay bundle` wrote, or the folder that it was unpacked to.',
  });
}
