import { describeLauncher } from '../../../test/launcher-conformance.ts';
import { openPortableLauncher, type PortableLauncherOptions } from './launcher.ts';
import type { Means } from './wrappers.ts';

const WAYS: readonly (readonly [string, readonly Means[]])[] = [
  ['portable', []],
  ['portable, without a cgroup', ['cgroup']],
  ['portable, with nothing to help it', ['cgroup', 'time', 'taskset', 'flock']],
];

for (const [name, without] of WAYS) {
  const open = (options: PortableLauncherOptions) => openPortableLauncher({ ...options, without });
  describeLauncher(name, open, {
    source: 'src/trial/portable/launcher.ts',
    open: 'openPortableLauncher',
    options: { without },
  });
}
