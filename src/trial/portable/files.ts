/** The three files of a subject, and its directory: opened by us, handed over as descriptors. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import type { LaunchRequest } from '../launch.ts';
import { notExecutable } from './wrappers.ts';

export interface SubjectFiles {
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

export interface NotStarted {
  readonly kind: 'not_started';
  readonly code: string;
  readonly step: string;
}

/** O_APPEND: two writers never overwrite each other, nor leave a hole after a truncation. */
const CREATE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;

/** Opens what the subject needs, or says which step failed. */
export function openSubject(request: LaunchRequest): SubjectFiles | NotStarted {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  let step = 'chdir';
  try {
    if (!statSync(request.cwd).isDirectory()) return { kind: 'not_started', code: 'ENOTDIR', step };
    step = 'exec';
    const code = notExecutable(request.argv[0]);
    if (code !== null) return { kind: 'not_started', code, step };
    step = 'stdin';
    const source = request.stdin ?? '/dev/null';
    // Node could not make a pipe blocking again for the subject.
    if (statSync(source).isFIFO()) return { kind: 'not_started', code: 'EINVAL', step };
    const stdin = open(source, constants.O_RDONLY | constants.O_NOCTTY);
    step = 'stdout';
    const stdout = open(request.stdout, CREATE);
    step = 'stderr';
    const stderr = open(request.stderr, CREATE);
    return { stdin, stdout, stderr };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    return { kind: 'not_started', code: (error as NodeJS.ErrnoException).code ?? 'EINVAL', step };
  }
}

/** The output that is longer than allowed, if one is. */
export function findTooLong(files: SubjectFiles, max_bytes: number): 'stdout' | 'stderr' | null {
  if (fstatSync(files.stdout).size > max_bytes) return 'stdout';
  return fstatSync(files.stderr).size > max_bytes ? 'stderr' : null;
}

/** Cuts outputs to what is allowed, and closes all three. */
export function closeSubject(files: SubjectFiles, max_bytes: number): void {
  for (const fd of [files.stdout, files.stderr]) if (fstatSync(fd).size > max_bytes) ftruncateSync(fd, max_bytes);
  for (const fd of [files.stdin, files.stdout, files.stderr]) closeSync(fd);
}
