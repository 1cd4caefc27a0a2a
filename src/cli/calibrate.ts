import type { Command } from 'commander';
import { quoteCommand } from '../experiment/command-line.ts';
import { EXIT, signalExitCode } from './exit-codes.ts';
import { changeText, MOST_SEED, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { progressDisplay } from './progress.ts';
import { stoppable } from './signals.ts';

interface CalibrateFlags {
  readonly runs: number;
  /** True: given without a cost. */
  readonly known?: string | true;
  readonly arm?: string;
  readonly out?: string;
  readonly seed?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function registerCalibrate(program: Command, context: CommandContext): void {
  program
    .command('calibrate')
    .description('run the reference of an experiment against itself over and over: how often does that find a change?')
    .argument('<file>', 'experiment file')
    .option('--runs <n>', 'how often the confirmation is run', wholeNumber(2, 1000), 40)
    .option('--known [cost]', 'then compare the other arm, which costs so much more (1% or 0.01), as often', changeText)
    .option('--arm <name>', 'the arm of known cost, where there are several')
    .option(
      '-o, --out <dir>',
      'directory of the runs (default: assay-runs/<time>-<title>-calibration); one that was stopped goes on',
    )
    .option('--seed <n>', 'seed of the order (default: drawn, and recorded)', wholeNumber(0, MOST_SEED))
    .option('--json', 'print JSON instead of text')
    .option('-q, --quiet', 'no progress; of the findings the judgement only')
    .addHelpText(
      'after',
      `
Each run has as many pairs or sessions as the experiment, and is judged as that would be. What was found is kept for this
machine and workload ($ASSAY_DATA, else $XDG_DATA_HOME/assay, else ~/.local/share/assay), and cited by later runs of it.

Examples:
  assay calibrate experiment.yaml
  assay calibrate experiment.yaml --known 1% --out calibration
  assay calibrate experiment.yaml --runs 200 --json

Exit codes:
  0    done, whatever was found
  2    wrong usage, or a mistake in an experiment file
  3    a trial failed, or the run is invalid otherwise
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; what was measured is saved: the same command with --out DIR goes on`,
    )
    .action(async (file: string, flags: CalibrateFlags) => {
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      // Before signals are taken over: reading may wait for the other end of a pipe.
      const source = readExperimentFile(file);
      const { streams, env, exit } = context;
      const { emit, finish } = progressDisplay(streams, flags.quiet === true, () => performance.now());
      await stoppable(async (stop) => {
        const { calibrate } = await import('../calibrate.ts');
        const outcome = await calibrate({
          ...{ keep: false, keepGoing: false, env, emit, stop, source },
          ...{ runs: flags.runs, known: knownOf(flags), out: flags.out ?? null, seed: flags.seed ?? null },
        }).finally(finish);
        // As after any run: last of all, since no reader waits for a page.
        const writePages = async () => {
          const { writePage } = await import('../run/reports.ts');
          for (const run of outcome.begun) await writePage(run);
        };
        if (outcome.calibration === null) {
          await showUnfinished(file, flags, outcome, context);
          await writePages();
          return;
        }
        const { calibrationDocument, calibrationText } = await import('../report/calibration.ts');
        const { visibleJson } = await import('../report/results.ts');
        const { calibrationWarnings } = await import('../analysis/calibration-warnings.ts');
        const { writeFileAtomically } = await import('../io/atomic-file.ts');
        const { join } = await import('node:path');
        const { calibration, directory, kept } = outcome;
        const findings = { calibration, warnings: calibrationWarnings(calibration), directory, kept };
        const json = visibleJson(calibrationDocument(findings));
        await writeFileAtomically(join(directory, 'calibration.json'), json);
        const options = { color: streams.outColor, width: streams.width, quiet: flags.quiet === true };
        streams.out(flags.json === true ? json : calibrationText(findings, options));
        exit(EXIT.ok);
        await writePages();
      });
    });
}

/** `--arm` alone asks for it too. */
function knownOf({ known, arm }: CalibrateFlags): { readonly arm: string | null; readonly cost: string | null } | null {
  if (known === undefined && arm === undefined) return null;
  return { arm: arm ?? null, cost: typeof known === 'string' ? known : null };
}

/** What the run that did not end well says, and how to go on. */
async function showUnfinished(
  file: string,
  flags: CalibrateFlags,
  { last, directory }: { readonly last: import('../pipeline.ts').RunOutcome; readonly directory: string },
  { streams, exit }: CommandContext,
): Promise<void> {
  const { FORMATS } = await import('../report/formats.ts');
  const options = { color: streams.outColor, quiet: flags.quiet === true, width: streams.width };
  streams.out(FORMATS[flags.json === true ? 'json' : 'text']({ ...last, options }));
  const { end } = last.journal;
  if (end?.reason.kind !== 'signal') {
    exit(EXIT.failed);
    return;
  }
  streams.err(`stopped by ${end.reason.signal}; go on with: ${quoteCommand(againWords(file, flags, directory))}\n`);
  exit(signalExitCode(end.reason.signal));
}

function againWords(file: string, { runs, known, arm }: CalibrateFlags, directory: string): readonly string[] {
  return [
    ...['assay', 'calibrate', file, '--runs', String(runs)],
    ...(known === undefined ? [] : ['--known', ...(known === true ? [] : [known])]),
    ...(arm === undefined ? [] : ['--arm', arm]),
    ...['--out', directory],
  ];
}
