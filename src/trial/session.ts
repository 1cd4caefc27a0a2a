/** A session: two processes that work in turns, and what they did, as the raw file says. */
import { join } from 'node:path';
import type { Experiment, Slices } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { readRegularFile } from '../io/raw-file.ts';
import type { SessionSlices } from '../journal/records.ts';
import { type Pace, quadsOf, type SessionPlace } from '../plan/slices.ts';
import type { LaunchRequest, SessionRequest } from './launch.ts';
import { readSlices, SLICES_FILE } from './slices-file.ts';

/** Of the slices of the warm-up's ramp, once an operation count is long enough: as many as this would take. */
const SETTLE_SLICES = 64;
/** Of a file of slices. */
const MOST_BYTES = 64 << 20;

/**
 * @param pace null in the warm-up, which finds it
 * @param file absolute: where the launcher writes the slices
 */
export function sessionRequest(
  { experiment, seed }: { readonly experiment: Pick<Experiment, 'sides'>; readonly seed: number },
  slices: Slices,
  place: SessionPlace,
  pace: Pace | null,
  subjects: readonly [LaunchRequest, LaunchRequest],
  file: string,
): SessionRequest {
  const work: SessionRequest['work'] =
    pace === null
      ? { kind: 'ramp', target_ns: slices.slice_ns, settle_slices: SETTLE_SLICES }
      : { kind: 'quads', quads: quadsOf(experiment, slices, seed, place, pace) };
  return { subjects, slices: file, answer_timeout_ms: slices.answer_timeout_ms, work };
}

/** Slices that a request asks for; null where the session finds out itself. */
export function slicesAsked({ work }: Pick<SessionRequest, 'work'>): number | null {
  return work.kind === 'quads' ? 4 * work.quads.length : null;
}

/**
 * The slices of a session that has ended; null where a driver was never ready.
 * @param folder the raw folder of the first half, within the run's directory
 * @throws AssayError `launcher` where the file is not what the launcher writes
 */
export function keptSlices(runPath: string, folder: string): SessionSlices | null {
  const path = join(folder, SLICES_FILE);
  const file = readRegularFile(runPath, path, MOST_BYTES);
  // It was never made: neither process was started.
  if (!file.ok) return null;
  const read = readSlices(file.bytes.toString('latin1'));
  if (read.ok) return read.slices;
  throw new AssayError({
    kind: 'launcher',
    message: `${path} is not what the launcher writes: ${read.reason}`,
    remedy: 'This is a fault of Assay: please report it, with that file.',
  });
}
