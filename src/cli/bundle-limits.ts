/** The limits of bundles as options, for the commands that read them. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Limits } from '../bundle/limits.ts';
import { parseSize } from '../experiment/quantities.ts';
import { wholeNumber } from './options.ts';

export interface LimitFlags {
  readonly maxFiles?: number;
  readonly maxSize?: number;
  readonly maxFileSize?: number;
  readonly maxRatio?: number;
  /** Of `verify` alone: one's own run may take what it takes. */
  readonly limitSeconds?: number;
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--max-files <n>', 'most files (default: 100000)', wholeNumber(1, 10_000_000))
    .option('--max-size <size>', 'most bytes of all files, uncompressed (default: 4GiB)', size)
    .option('--max-file-size <size>', 'most bytes of one file (default: 64MiB)', size)
    .option('--max-ratio <n>', 'most bytes that come out of a compressed one (default: 200)', wholeNumber(1, 2000));
}

export function limitsOf(flags: LimitFlags, defaults: Limits): Limits {
  return {
    files: flags.maxFiles ?? defaults.files,
    total_bytes: flags.maxSize ?? defaults.total_bytes,
    file_bytes: flags.maxFileSize ?? defaults.file_bytes,
    ratio: flags.maxRatio ?? defaults.ratio,
    seconds: flags.limitSeconds ?? defaults.seconds,
  };
}

function size(text: string): number {
  const bytes = parseSize(/^\d{1,15}$/.test(text) ? Number(text) : text);
  if (bytes !== null && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('Expected a size such as 512MiB, or a number of bytes.');
}
