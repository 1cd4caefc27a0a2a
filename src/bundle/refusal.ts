/** Why a file is not taken for a bundle. */
import { AssayError } from '../failures.ts';

const REMEDY = 'Ask whoever made it for the file as `assay bundle` wrote it; do not unpack this one with other tools.';

/** @param message a sentence whose subject is the bundle or a file of it, without full stop */
export function refusal(message: string, remedy = REMEDY): AssayError {
  return new AssayError({ kind: 'bundle', message, remedy });
}

export const OWNERS_REMEDY =
  'Something has changed its files since they were written. Restore them from a copy, or run the experiment again.';

/** A refusal as it is told to whom the run belongs: there is nobody else to ask. */
export function forOwner(error: unknown): unknown {
  if (!(error instanceof AssayError) || error.failure.kind !== 'bundle' || error.failure.remedy !== REMEDY)
    return error;
  return refusal(`the run does not hold: ${error.failure.message}`, OWNERS_REMEDY);
}

/** The message where an error is a refusal of a bundle or of its journal, else null. */
export function refusalText(error: unknown): string | null {
  if (!(error instanceof AssayError)) return null;
  const { failure } = error;
  if (failure.kind === 'bundle') return failure.message;
  return failure.kind === 'journal' ? `${failure.path} ${failure.message}` : null;
}
