/** Exit codes, as `--help` documents them. */
export const EXIT = { ok: 0, slower: 1, usage: 2, failed: 3, inconclusive: 4 } as const;

export const EXIT_CODES_HELP = `
Exit codes:
  0    done, and no primary metric is slower
  1    a primary metric is slower (worse)
  2    wrong usage, or a mistake in an experiment file
  3    the run failed or is invalid; doctor: the machine is not ready
  4    inconclusive, where --require-conclusive was given
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; what was measured is saved: assay run --resume DIR`;

/** 128 + the number of the signal, as shells report it. */
export function signalExitCode(signal: string): number {
  return signal === 'SIGINT' ? 130 : signal === 'SIGHUP' ? 129 : 143;
}
