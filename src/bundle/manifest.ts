/** The manifest: first file of a bundle, which names all others with their digests. What is signed is this file. */
import { z } from 'zod';
import { parseJson } from '../formats/json.ts';
import { nameRegister } from './archive/names.ts';
import { fewValues } from './bounded-json.ts';
import type { Limits } from './limits.ts';
import { refusal } from './refusal.ts';

export const MANIFEST = 'manifest.json';
/** Not in the manifest: it is made of it. */
export const SIGNATURE = 'manifest.json.sig';
const BUNDLE_VERSION = 1;

const manifestSchema = z.strictObject({
  format: z.literal('assay-bundle'),
  version: z.literal(BUNDLE_VERSION),
  /** The version of Assay that made the bundle. */
  assay: z.string(),
  experiment_id: z.string(),
  /** When the run began, in whole seconds since 1970; the time of every file. */
  started_unix_s: z.int().min(0),
  files: z.array(
    z.strictObject({ path: z.string(), bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
  /** What a reader may look for and not find. */
  absent: z.array(z.strictObject({ what: z.string(), why: z.string() })),
});

export type Manifest = Readonly<z.infer<typeof manifestSchema>>;
export type ManifestFile = Manifest['files'][number];

const laterManifest = z.object({
  format: z.literal('assay-bundle'),
  version: z.int().gt(BUNDLE_VERSION),
  assay: z.string(),
});

/** The one text of a manifest. */
export function encodeManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Throws `bundle` where the text is no manifest in its one form, or names what a bundle must not hold. */
export function decodeManifest(bytes: Buffer, limits: Limits): Manifest {
  // A file takes four values; what is absent three.
  if (!fewValues(bytes, 8 * limits.files + 10_000)) throw tooMany(limits);
  const value = parseJson(bytes.toString('utf8'));
  const later = laterManifest.safeParse(value);
  if (later.success) {
    throw refusal(
      `the bundle has format ${later.data.version}; this Assay reads up to ${BUNDLE_VERSION}`,
      'Use the Assay that made it, or a later one.',
    );
  }
  // Before they are looked at one by one, which takes memory.
  if (filesIn(value) > limits.files) throw tooMany(limits);
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.map((key) => `/${String(key)}`).join('') ?? '';
    throw refusal(
      `${MANIFEST} is no manifest: ${path === '' ? 'the whole' : path}: ${issue?.message ?? 'not as expected'}`,
    );
  }
  const manifest = parsed.data;
  if (!Buffer.from(encodeManifest(manifest)).equals(bytes)) {
    throw refusal(`${MANIFEST} is not in the form that Assay writes`);
  }
  checkFiles(manifest.files, limits);
  return manifest;
}

function filesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('files' in value)) return 0;
  return Array.isArray(value.files) ? value.files.length : 0;
}

function checkFiles(files: readonly ManifestFile[], limits: Limits): void {
  const fault = nameRegister();
  for (const own of [MANIFEST, SIGNATURE]) fault(own);
  let total = 0;
  for (const { path, bytes } of files) {
    const reason = fault(path);
    if (reason !== null) throw refusal(`the name ${JSON.stringify(path)} ${reason}`);
    if (bytes > limits.file_bytes) {
      throw refusal(
        `${path} has ${bytes} bytes, more than the limit of ${limits.file_bytes}`,
        'If you trust its origin, allow more with --max-file-size.',
      );
    }
    total += bytes;
  }
  if (total > limits.total_bytes) {
    throw refusal(
      `the files have ${total} bytes in all, more than the limit of ${limits.total_bytes}`,
      'If you trust its origin, allow more with --max-size.',
    );
  }
  const misplaced = files.find(({ path }, at) => {
    const before = files[at - 1];
    return before !== undefined && inOrder(before.path, path) >= 0;
  });
  if (misplaced !== undefined) throw refusal(`${misplaced.path} is not in its place in ${MANIFEST}`);
}

function tooMany(limits: Limits): Error {
  return refusal(
    `the bundle holds more than ${limits.files} files`,
    'If you trust its origin, allow more with --max-files.',
  );
}

/**
 * The order of files: the journal first, since all else is judged by it; raw output last, each trial's files together. So
 * a bundle is verified while it is read.
 */
export function inOrder(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function rankOf(path: string): number {
  if (path === 'journal.jsonl') return 0;
  return path.startsWith('raw/') ? 2 : 1;
}
