/** What a machine without the native launcher measures more coarsely, in words, each with its remedy. */
import type { Launcher } from '../launch.ts';
import { COOKIE_NAME } from './processes.ts';
import type { Tools } from './wrappers.ts';

export type Limitation = Launcher['limitations'][number];

export interface Abilities {
  readonly tools: Tools;
  readonly hasCgroup: boolean;
  readonly wantsLock: boolean;
  readonly wantsOrchestratorCpu: boolean;
}

const NATIVE =
  process.platform === 'linux'
    ? 'Install a C compiler (cc, gcc or clang): Assay then builds its native launcher.'
    : 'Measure on Linux with a C compiler: there Assay uses its native launcher.';

export function limitationsOf({ tools, hasCgroup, wantsLock, wantsOrchestratorCpu }: Abilities): Limitation[] {
  const found: Limitation[] = [
    {
      message:
        'Wall clock and CPU time include what Node.js and its helpers take to start and reap the command, some milliseconds.',
      remedy: NATIVE,
    },
    {
      message: `The command's environment holds one variable more, ${COOKIE_NAME}, by which its descendants are found.`,
      remedy: NATIVE,
    },
  ];
  found.push({
    message:
      'Work in slices: a turn costs several times as much as with the native launcher, and the CPU time of a whole session is not known by arm.',
    remedy: NATIVE,
  });
  const add = (message: string, remedy: string) => found.push({ message, remedy });
  const isLinux = process.platform === 'linux';
  if (!hasCgroup) {
    add('A descendant that leaves its session and clears its environment is not found.', NATIVE);
    if (isLinux) {
      add(
        'CPU time is counted in steps of 10 ms.',
        `${NATIVE} Or run Assay where it may create a cgroup, as with systemd-run --user --scope.`,
      );
    } else add('CPU time is not known.', NATIVE);
  }
  if (tools.time !== null) {
    add('GNU time leaves the command one open file more, descriptor 3.', NATIVE);
  } else {
    add(
      isLinux ? 'Peak memory is sampled every 50 ms and may be missed.' : 'Peak memory is not known.',
      `${NATIVE} Or install GNU time.`,
    );
  }
  if (tools.taskset === null) {
    const asked = wantsOrchestratorCpu ? ' The orchestrator_cpu is ignored.' : '';
    add(`Commands cannot be pinned to a CPU.${asked}`, `${NATIVE} Or install taskset (util-linux).`);
  }
  if (wantsLock && isLinux && tools.flock === null) {
    add(
      "The run's lock is not seen by an Assay that uses its native launcher.",
      `${NATIVE} Or install flock (util-linux).`,
    );
  }
  return found;
}
