/** Launches of Assay's own small programs, for what they tell of the launcher and of the machine. */
import { join } from 'node:path';
import type { LaunchRequest } from './launch.ts';

const TIMEOUT_MS = 60_000;
const GRACE_MS = 2000;

/** A command that prints nothing, needs nothing and does nothing. */
export const EMPTY_COMMAND: readonly [string] = [process.platform === 'darwin' ? '/usr/bin/true' : '/bin/true'];

/** A launch as bare as can be: no environment, not pinned, nothing counted. @param place an empty directory */
export function bareLaunch(argv: LaunchRequest['argv'], place: string): LaunchRequest {
  return {
    argv,
    cwd: place,
    env: {},
    stdin: null,
    stdout: join(place, 'stdout'),
    stderr: join(place, 'stderr'),
    cpu: null,
    fixed_layout: false,
    real_time: false,
    memory_group: null,
    counters: null,
    timeout_ms: TIMEOUT_MS,
    grace_ms: GRACE_MS,
    max_output_bytes: 1 << 20,
    settle: false,
  };
}
