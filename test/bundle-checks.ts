/** Packing and verifying as the command line does it, and archives in memory. */

import type { ByteSource } from '../src/bundle/archive/gzip.ts';
import { DEFAULT_LIMITS } from '../src/bundle/limits.ts';
import { type Packed, type PackOptions, packRun } from '../src/bundle/pack.ts';
import { takeArchive } from '../src/bundle/source.ts';
import { type Verification, verifyTaken } from '../src/bundle/verify/verify.ts';
import { AssayError } from '../src/failures.ts';

export function pack(run: string, options: Partial<PackOptions> = {}): Promise<Packed> {
  return packRun(run, {
    output: `${run}.tar.gz`,
    force: false,
    keepIdentity: false,
    withBinaries: false,
    key: null,
    cache: null,
    limits: DEFAULT_LIMITS,
    onProgress: () => {},
    stop: new AbortController().signal,
    ...options,
  });
}

function memory(bytes: Buffer): ByteSource {
  return { bytes: bytes.length, read: async (position, length) => bytes.subarray(position, position + length) };
}

/** What fails in an archive in memory; `refused` with a reason where it is not even read to its end. */
export async function faultsOf(archive: Buffer, all = true): Promise<readonly string[]> {
  try {
    const taken = await takeArchive(memory(archive), DEFAULT_LIMITS);
    // The other questions take a hundred times as long, and need not be asked once one answer is no.
    if (!all && taken.digests.count > 0) return [taken.digests.text()];
    return failures(await verifyTaken(taken, []));
  } catch (error) {
    if (error instanceof AssayError && 'message' in error.failure) return [`refused: ${error.failure.message}`];
    throw error;
  }
}

/** All answers to an archive in memory. */
export async function answersOf(archive: Buffer, limits = DEFAULT_LIMITS): Promise<Verification['answers']> {
  return (await verifyTaken(await takeArchive(memory(archive), limits), [])).answers;
}

export const failures = ({ answers }: Verification) =>
  answers.filter(({ outcome }) => outcome === 'failed').map(({ question, why }) => `${question}: ${why}`);
