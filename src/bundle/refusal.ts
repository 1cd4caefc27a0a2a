/** Why a file is not taken for a bundle. */
import { AssayError } from '../failures.ts';

const REMEDY = 'Ask whoever made it for the file as `assay bundle` wrote it; do not unpack this one with other tools.';

/** @param message a sentence whose subject is the bundle or a file of it, without full stop */
export function refusal(message: string, remedy = REMEDY): AssayError {
  return new AssayError({ kind: 'bundle', message, remedy });
}

/** The message where an error is a refusal of a bundle or of its journal, else null. */
export function refusalText(error: unknown): string | null {
  if (!(error instanceof AssayError)) return null;
  const { failure } = error;
  if (failure.kind === 'bundle') return failure.message;
  return failure.kind === 'journal' ? `${failure.path} ${failure.message}` : null;
}
