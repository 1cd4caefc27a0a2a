/** Errors of the file system as the failure that a user reads. */
import { AssayError } from '../failures.ts';

/**
 * An error of node:fs as a `file` failure: the path, what was being done, the errno's name, and what would help.
 * @param another how a user names another path, as `with -o`; left out: `with --out`
 */
export function fileFailure(
  error: unknown,
  path: string,
  operation: string,
  remedy?: string,
  another?: string,
): AssayError {
  if (error instanceof AssayError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new AssayError({
    kind: 'file',
    path,
    operation,
    code,
    ...(remedy === undefined ? {} : { remedy }),
    ...(another === undefined ? {} : { another }),
  });
}
