/** What a launcher costs by itself. */
import { join } from 'node:path';
import { makeEmptyDirectory, removeTree } from '../io/disk.ts';
import { bareLaunch, EMPTY_COMMAND } from './bare-launch.ts';
import type { Launcher } from './launch.ts';

/** Wall time of an empty command through a launcher: the second of two, since the first warms caches. */
export async function emptyCommandNs(launcher: Launcher, directory: string): Promise<number> {
  let wall_ns = 0;
  for (const name of ['overhead-1', 'overhead-2']) {
    const place = join(directory, name);
    await makeEmptyDirectory(place);
    const account = await launcher.launch(bareLaunch(EMPTY_COMMAND, place));
    wall_ns = account.wall_ns;
    await removeTree(place);
  }
  return wall_ns;
}
