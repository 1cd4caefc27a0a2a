/** Looks at this machine, judges it, and measures how noisy it is. */
import { join } from 'node:path';
import { openCache } from '../io/cache.ts';
import { lookAtMachine } from './facts.ts';
import type { Observed } from './judgement.ts';
import { probeNoise } from './noise-probe.ts';
import { type JudgedFact, judge, judgeProbe, type NoiseProbe } from './readiness.ts';

export interface Examination extends Observed {
  readonly checks: readonly JudgedFact[];
  /** Null where it was not asked for, or has no result. */
  readonly probe: NoiseProbe | null;
  /** Nothing is bad. */
  readonly ready: boolean;
}

/** How long other processes are watched: before the probe, so that it is not seen. */
const WATCH_MS = 1000;

/**
 * @param directory in which trials would run
 * @throws AssayError `usage` or `file` where the cache cannot be used, `launcher` where the native launcher breaks
 */
export async function examine(setting: {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly probe: boolean;
  readonly onProgress: (done: number, total: number) => void;
  readonly stop: AbortSignal;
}): Promise<Examination> {
  const observed = await lookAtMachine(setting.directory, setting.env, WATCH_MS);
  const cache = join(await openCache(setting.env), 'bin');
  const probe = setting.probe && !setting.stop.aborted ? await probeNoise({ ...setting, cache }) : null;
  const checks = [...judge(observed), ...(setting.probe ? [judgeProbe(probe)] : [])];
  return { ...observed, checks, probe, ready: checks.every(({ status }) => status !== 'bad') };
}
