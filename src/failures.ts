/**
 * Everything that can end a command early, as one closed union. A failure says what happened, where, and how to mend
 * it; only src/cli turns it into text on a terminal and an exit code.
 */

/** A mistake in a file that a person wrote, with its place. Lines and columns count from 1. */
export interface Located {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** How many columns the mark under the fault covers. */
  readonly length: number;
}

export type Failure =
  | { readonly kind: 'usage'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'experiment'; readonly file: string; readonly text: string; readonly errors: readonly Located[] }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly operation: string;
      readonly code: string;
      /** Where what usually helps against this code does not help here. */
      readonly remedy?: string;
      /** How a user names another path, where not `with --out`. */
      readonly another?: string;
    }
  | {
      readonly kind: 'arm';
      readonly arm: string;
      readonly message: string;
      readonly detail: string;
      readonly remedy: string;
    }
  | { readonly kind: 'launcher'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'machine'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'journal'; readonly path: string; readonly message: string; readonly remedy: string }
  /** What should be a bundle is refused, or cannot be made. */
  | { readonly kind: 'bundle'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'busy'; readonly path: string; readonly holder: string }
  | { readonly kind: 'unsupported'; readonly message: string; readonly remedy: string };

/** The only exception that Assay throws on purpose. */
export class AssayError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.kind);
    this.name = 'AssayError';
    this.failure = failure;
  }
}
