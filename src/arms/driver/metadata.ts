/** What a build leaves that says how it was made, as far as the experiment names it: `make_config.mk`, `CMakeCache.txt`. */
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { readRegularFile } from '../../io/raw-file.ts';
import { armFailure } from '../arm-failure.ts';

export interface MetadataFile {
  /** As the experiment names it. */
  readonly named: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export const MOST_METADATA_BYTES = 8 * 2 ** 20;

/**
 * Reads files that an experiment names beside a library. What lies in the source of a git arm is a stranger's: there no part of
 * a path may be a link or lead out. Elsewhere the paths are the user's own, and only the file itself must be no link.
 * @param base what relative paths count from, absolute
 * @param isSource whether that is the source of an arm
 * @throws AssayError `arm` where one is missing, too large or no regular file
 */
export function readMetadata(
  arm: string,
  named: readonly string[],
  base: string,
  isSource: boolean,
): readonly MetadataFile[] {
  return named.map((path) => {
    const absolute = resolve(base, path);
    const [root, relative] = isSource
      ? [base, path.replace(/^(?:\.\/)+/, '')]
      : [dirname(absolute), basename(absolute)];
    const read = readRegularFile(root, relative, MOST_METADATA_BYTES);
    if (!read.ok) {
      throw armFailure(
        arm,
        `${path}, named as metadata of its library, ${read.reason}${read.reason === 'does not exist' ? ` in ${root}` : ''}`,
        isSource
          ? 'Paths of `metadata` count from the built source: name regular files in it, such as make_config.mk after make or CMakeCache.txt after cmake; or leave `metadata` out.'
          : 'Paths of `metadata` count from the directory of the experiment file: name regular files, or leave `metadata` out.',
      );
    }
    return { named: path, bytes: read.bytes, sha256: createHash('sha256').update(read.bytes).digest('hex') };
  });
}
