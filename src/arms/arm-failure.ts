import { AssayError } from '../failures.ts';

/** An arm that cannot be had: what happened, and what would help. */
export function armFailure(arm: string, message: string, remedy: string, detail = ''): AssayError {
  return new AssayError({ kind: 'arm', arm, message, detail, remedy });
}
