/** Failures as a person reads them: what, where, and how to mend it. */

import type { Failure } from '../failures.ts';
import { showLocated } from '../report/located.ts';
import { escapeText } from '../report/plain-text.ts';
import { EXIT } from './exit-codes.ts';

/** @param command by its words, as `variance run`: what to do after it depends on whether it can go on */
export function showFailure(failure: Failure, command: string): string {
  switch (failure.kind) {
    case 'experiment':
      return showLocated(failure.file, failure.text, failure.errors);
    case 'file':
      return sentence(
        `cannot ${failure.operation}: ${failure.path}: ${errnoWords(failure.code)}`,
        failure.remedy ?? errnoRemedy(failure.code, failure.another ?? 'with --out', command),
      );
    case 'arm':
      return sentence(
        `arm ${failure.arm}: ${failure.message}`,
        failure.remedy,
        failure.detail === '' ? [] : failure.detail.split('\n'),
      );
    case 'journal':
      return sentence(`${failure.path} ${failure.message}`, failure.remedy);
    case 'busy':
      return sentence(
        `${failure.path} is in use by another Assay (${failure.holder})`,
        'Wait until it has ended; two runs at once would disturb each other.',
      );
    case 'usage':
    case 'launcher':
    case 'machine':
    case 'bundle':
    case 'unsupported':
      return sentence(failure.message, failure.remedy);
  }
}

export function failureExitCode(failure: Failure): number {
  return failure.kind === 'usage' || failure.kind === 'experiment' || failure.kind === 'unsupported'
    ? EXIT.usage
    : EXIT.failed;
}

function sentence(message: string, remedy: string, detail: readonly string[] = []): string {
  const lines = [...`assay: ${message}`.split('\n'), ...detail.map((line) => `    ${line}`), `  ${remedy}`];
  return `${lines.map(escapeText).join('\n')}\n`;
}

/** Stands for how a user names another path. */
const ANOTHER = '{another}';
/** Stands for what to do once there is room. */
const AGAIN = '{again}';

const ERRNO_WORDS: Readonly<Record<string, readonly [words: string, remedy: string]>> = {
  ENOSPC: ['the disk is full', `Free some space, then ${AGAIN}`],
  EDQUOT: ['the disk quota is used up', `Free some space, then ${AGAIN}`],
  EACCES: ['permission denied', `Check the permissions of the path, or name another ${ANOTHER}.`],
  EPERM: ['operation not permitted', `Check the permissions of the path, or name another ${ANOTHER}.`],
  EROFS: ['the file system is read-only', `Name a place that can be written, ${ANOTHER}.`],
  ENOENT: ['no such file or directory', 'Check the path.'],
  ENOTDIR: ['a part of the path is not a directory', 'Check the path.'],
  EISDIR: ['it is a directory', 'Name a file.'],
  EEXIST: ['there is something else of that name', 'Move it away, or name another path.'],
  ELOOP: ['it is a symbolic link', 'Put a file or directory of its own in its place.'],
  ENAMETOOLONG: ['the name is too long', 'Name a shorter path.'],
  EFBIG: ['it would be larger than this user may make a file', 'Raise the limit: ulimit -f unlimited.'],
  EBUSY: ['it is in use', 'Look for a mount or a program that holds it.'],
  EMFILE: ['too many files are open', 'Raise the limit: ulimit -n.'],
  EIO: ['the device reports an error', 'Look at the kernel log: dmesg.'],
};

/** How the commands go on that can; the others begin anew. */
const GO_ON: Readonly<Record<string, string>> = {
  run: 'assay run --resume DIR',
  compare: 'assay run --resume DIR',
  calibrate: 'the same command with --out DIR',
  engines: 'the same command with --out DIR',
  'variance run': 'assay variance run --resume DIR',
};

function errnoWords(code: string): string {
  return ERRNO_WORDS[code]?.[0] ?? code;
}

function errnoRemedy(code: string, another: string, command: string): string {
  const remedy = ERRNO_WORDS[code]?.[1] ?? 'Check the path and the file system.';
  return remedy.replace(ANOTHER, () => another).replace(AGAIN, () => again(command));
}

function again(command: string): string {
  const goOn = GO_ON[command];
  return goOn === undefined
    ? 'give the command again.'
    : `run again, or go on with a run that had begun: ${goOn}. What was measured is intact.`;
}
