/** What `run` and `compare` share: options, the signals of a user, and showing the result. */
import type { Command } from 'commander';
import { quoteCommand } from '../experiment/command-line.ts';
import type { RunOutcome } from '../pipeline.ts';
import type { RunSetting } from '../run/open-run.ts';
import { EXIT, signalExitCode } from './exit-codes.ts';
import { MOST_SEED, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { progressDisplay } from './progress.ts';
import { stoppable } from './signals.ts';

export interface RunFlags {
  readonly out?: string;
  readonly seed?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly keep?: boolean;
  readonly keepGoing?: boolean;
  readonly requireConclusive?: boolean;
}

export function addRunOptions(command: Command): Command {
  return command
    .option('-o, --out <dir>', 'directory of the run (default: assay-runs/<time>-<title>)')
    .option('--seed <n>', 'seed of the order (default: drawn, and recorded)', wholeNumber(0, MOST_SEED))
    .option('--json', 'print results.json to stdout instead of the report')
    .option('-q, --quiet', 'no progress; of the report the findings only')
    .option('--keep', 'keep the directories of the trials')
    .option('--keep-going', 'go on after a failed trial (the run stays invalid)')
    .option('--require-conclusive', `exit ${EXIT.inconclusive} where a primary metric is inconclusive`);
}

/**
 * Runs `work` with progress on stderr, prints its report, and writes the page last, which no reader waits for. Ctrl-C ends
 * the trial, saves, and says how to go on.
 */
export async function runAndShow(
  flags: RunFlags,
  context: CommandContext,
  work: (setting: RunSetting) => Promise<RunOutcome>,
): Promise<void> {
  const { streams, env } = context;
  const { emit, finish } = progressDisplay(streams, flags.quiet === true, () => performance.now());
  await stoppable(async (stop) => {
    const setting = { keep: flags.keep === true, keepGoing: flags.keepGoing === true, env, emit, stop };
    const outcome = await work(setting).finally(finish);
    await show(outcome, flags, context);
    const { writePage } = await import('../run/reports.ts');
    await writePage(outcome);
  });
}

async function show(outcome: RunOutcome, flags: RunFlags, { streams, exit }: CommandContext): Promise<void> {
  const { FORMATS } = await import('../report/formats.ts');
  const { exitCode } = await import('../analysis/outcome.ts');
  const options = { color: streams.outColor, quiet: flags.quiet === true, width: streams.width };
  streams.out(FORMATS[flags.json === true ? 'json' : 'text']({ ...outcome, options }));
  const { end } = outcome.journal;
  if (end?.reason.kind === 'signal') {
    const { goOnWords } = await import('../report/statements.ts');
    const words = goOnWords(outcome.journal, outcome.directory);
    streams.err(`stopped by ${end.reason.signal}; go on with: ${quoteCommand(words)}\n`);
    exit(signalExitCode(end.reason.signal));
  } else {
    exit(exitCode(outcome.analysis, { requireConclusive: flags.requireConclusive === true }));
  }
}
