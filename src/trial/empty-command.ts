/** What a launcher costs by itself. */
import { join } from 'node:path';
import { makeEmptyDirectory, removeTree } from '../io/disk.ts';
import type { Launcher } from './launch.ts';
import { GRACE_MS } from './launch-request.ts';

/** Wall time of an empty command through a launcher: the second of two, since the first warms caches. */
export async function emptyCommandNs(launcher: Launcher, directory: string): Promise<number> {
  let wall_ns = 0;
  for (const name of ['overhead-1', 'overhead-2']) {
    const place = join(directory, name);
    await makeEmptyDirectory(place);
    const account = await launcher.launch({
      argv: [process.platform === 'darwin' ? '/usr/bin/true' : '/bin/true'],
      cwd: place,
      env: {},
      stdin: null,
      stdout: join(place, 'stdout'),
      stderr: join(place, 'stderr'),
      cpu: null,
      fixed_layout: false,
      real_time: false,
      counters: null,
      timeout_ms: 60_000,
      grace_ms: GRACE_MS,
      max_output_bytes: 1 << 20,
      settle: false,
    });
    wall_ns = account.wall_ns;
    await removeTree(place);
  }
  return wall_ns;
}
