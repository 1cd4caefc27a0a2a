/** The page cache of the whole machine. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AssayError } from '../failures.ts';

/** Writes everything back, then drops clean pages, directory entries and inodes. Throws `machine` without the right to. */
export async function dropPageCache(): Promise<void> {
  try {
    await promisify(execFile)('sync');
    await writeFile('/proc/sys/vm/drop_caches', '3\n');
  } catch {
    throw new AssayError({
      kind: 'machine',
      message: 'the page cache cannot be dropped: that needs root on Linux',
      remedy: 'Run Assay as root, or take `drop_caches` out of the workload.',
    });
  }
}
