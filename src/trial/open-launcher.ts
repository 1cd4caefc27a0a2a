/** The best launcher that this machine allows. */
import { fileURLToPath } from 'node:url';
import type { Unavailable } from './compile.ts';
import type { Launcher } from './launch.ts';
import { openNativeLauncher } from './native.ts';
import { openPortableLauncher } from './portable/launcher.ts';

const PORTABLE = 'portable';
const SOURCE = fileURLToPath(new URL('../../native/launcher.c', import.meta.url));

/**
 * The native launcher, or where it cannot be had the portable one, which then says why. Either holds the lock at
 * `lockPath` until it is closed. `ASSAY_LAUNCHER=portable` asks for the portable one.
 * Throws `busy` where another Assay holds the lock.
 */
export async function openLauncher(options: {
  readonly cache: string;
  readonly lockPath: string;
  /** How long another holder of the lock is waited for: it may be killing what a dead Assay has left. */
  readonly lockWaitMs: number;
  readonly orchestratorCpu: number | null;
  readonly env: NodeJS.ProcessEnv;
}): Promise<Launcher> {
  const { cache, lockPath, lockWaitMs, orchestratorCpu, env } = options;
  const own = { lockPath, lockWaitMs, orchestratorCpu };
  if (env['ASSAY_LAUNCHER'] === PORTABLE) return await openPortableLauncher(own);
  const native = await openNativeLauncher({ cache, source: SOURCE, ...own });
  if (!('unavailable' in native)) return native;
  return await openPortableLauncher({ ...own, insteadOf: native });
}

/** The native launcher without a lock, to ask the machine something before there is a run; or why it cannot be had. */
export async function openToAsk(cache: string, env: NodeJS.ProcessEnv): Promise<Launcher | Unavailable> {
  if (env['ASSAY_LAUNCHER'] === PORTABLE) {
    return { unavailable: 'ASSAY_LAUNCHER asks for the portable launcher', remedy: 'Unset ASSAY_LAUNCHER.' };
  }
  return await openNativeLauncher({ cache, source: SOURCE, lockPath: null, orchestratorCpu: null });
}
