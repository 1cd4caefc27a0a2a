import { type Command, Option } from 'commander';
import { quoteCommand } from '../experiment/command-line.ts';
import { AssayError } from '../failures.ts';
import type { EngineFindings } from '../storage/engines/analysis.ts';
import { EXIT, signalExitCode } from './exit-codes.ts';
import { MOST_SEED, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { progressDisplay } from './progress.ts';
import { stoppable } from './signals.ts';

interface EnginesFlags {
  readonly small?: boolean;
  readonly out?: string;
  readonly output?: string;
  readonly dryRun?: boolean;
  readonly seed?: number;
  readonly format: 'text' | 'markdown' | 'html' | 'csv' | 'json';
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function registerEngines(program: Command, context: CommandContext): void {
  program
    .command('engines')
    .description(
      'compare storage engines side by side: one workload, every engine through a driver of its own language',
    )
    .argument(
      '<study>',
      'study file (YAML or JSON), or the directory of a study that has run: its report, and nothing is run',
    )
    .option('--small', 'with small sizes instead of those of the study: some minutes on two cores')
    .option(
      '-o, --out <path>',
      'of a study file: directory of the study (default: assay-runs/<time>-<title>-engines); one that was stopped goes on. Of a directory: as --output',
    )
    .option('--output <file>', 'write the report to this file instead of stdout')
    .option('--dry-run', 'print what would run, in which order and how long; runs and makes nothing')
    .option('--seed <n>', 'seed of keys, values and orders (default: drawn, and recorded)', wholeNumber(0, MOST_SEED))
    .addOption(
      new Option('-f, --format <format>', 'text, markdown, html, csv or json')
        .choices(['text', 'markdown', 'html', 'csv', 'json'])
        .default('text'),
    )
    .option('--json', 'short for --format json')
    .option('-q, --quiet', 'no progress')
    .addHelpText(
      'after',
      `
Each size of the study is a run, whose blocks have one trial of each engine; what it keeps can be resumed, bundled and verified
as any run can. Engines whose library is not here are left out, and so are sizes with a limit of memory where there can be
none. As root each trial has a device of its own, whose counters say what was written and read.

Examples:
  assay init study.yaml --template engines
  assay engines study.yaml --small
  assay engines study.yaml --dry-run
  assay engines study.yaml --out engines --seed 42
  assay engines engines --format html -o engines-report.html

Exit codes:
  0    done
  2    wrong usage, or a mistake in the study's file
  3    a trial failed (an engine that loses a record fails the study), or a run is invalid otherwise
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; what was measured is saved: the same command with --out DIR goes on`,
    )
    .action(async (study: string, flags: EnginesFlags) => {
      const { isStudyDirectory } = await import('../run/study-file.ts');
      if (isStudyDirectory(study)) {
        refuseSettled(flags);
        const { studiedEngines } = await import('../engines.ts');
        // There is no directory to name any more: what is to be written is the report.
        await show(await studiedEngines(study), flags, flags.output ?? flags.out, context);
        return;
      }
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      const source = readExperimentFile(study);
      const { streams, env, exit } = context;
      const asked = { source, env, small: flags.small === true, out: flags.out ?? null, seed: flags.seed ?? null };
      if (flags.dryRun === true) {
        const { planStudy } = await import('../engines-plan.ts');
        const { enginesPlanText } = await import('../report/engines-plan.ts');
        const planned = await planStudy(asked);
        const asJson = flags.json === true || flags.format === 'json';
        await write(
          (look) => (asJson ? `${JSON.stringify(planned, null, 2)}\n` : enginesPlanText(planned, look)),
          flags.output,
          context,
        );
        return;
      }
      const { emit, finish } = progressDisplay(streams, flags.quiet === true, () => performance.now());
      await stoppable(async (stop) => {
        const { studyEngines } = await import('../engines.ts');
        const outcome = await studyEngines({
          ...{ ...asked, keep: false, keepGoing: false, emit, stop },
        }).finally(finish);
        if (outcome.findings === null) {
          const { FORMATS } = await import('../report/formats.ts');
          const options = { color: streams.outColor, quiet: true, width: streams.width };
          const end = outcome.last.journal.end?.reason;
          // One run is gone on with by the study alone: its own report must not name another command.
          const directory = end?.kind === 'signal' ? null : outcome.last.directory;
          streams.out(FORMATS[flags.json === true ? 'json' : 'text']({ ...outcome.last, directory, options }));
          if (end?.kind === 'signal') {
            const again = againWords(study, flags, outcome.directory);
            streams.err(`stopped by ${end.signal}; go on with: ${quoteCommand(again)}\n`);
            exit(signalExitCode(end.signal));
          } else exit(EXIT.failed);
        } else {
          await show(outcome.findings, flags, flags.output, context);
          const { writeStudyReports } = await import('../run/study-reports.ts');
          await writeStudyReports(outcome.directory, outcome.findings);
        }
        const { writePage } = await import('../run/reports.ts');
        for (const run of outcome.begun) await writePage(run);
      });
    });
}

async function show(
  findings: EngineFindings,
  flags: EnginesFlags,
  output: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { assayVersion } = await import('../io/version.ts');
  const input = { assay: assayVersion(), findings };
  const format = flags.json === true ? 'json' : flags.format;
  if (format === 'html') {
    const { enginesPage } = await import('../report/html/engines-page.ts');
    await write(() => enginesPage(input), output, context);
  } else {
    const { enginesReport } = await import('../report/engines-formats.ts');
    await write((look) => enginesReport(format, input, look), output, context);
  }
}

/** To the file that is named, else to stdout. */
async function write(
  textOf: (look: { readonly color: boolean; readonly width: number }) => string,
  output: string | undefined,
  { streams }: CommandContext,
): Promise<void> {
  if (output === undefined) {
    streams.out(textOf({ color: streams.outColor, width: streams.width }));
  } else {
    const { writeOutput } = await import('../io/atomic-file.ts');
    await writeOutput(output, textOf({ color: false, width: 120 }), 'with --output');
  }
}

/** Of a study that has run nothing can be asked for any more. */
function refuseSettled({ small, out, output, seed, dryRun }: EnginesFlags): void {
  if (out !== undefined && output !== undefined) {
    throw new AssayError({
      kind: 'usage',
      message: 'with the directory of a study, --out and --output both name the file of the report',
      remedy: 'Leave one of them out.',
    });
  }
  for (const [name, value] of [
    ['--small', small],
    ['--seed', seed],
    ['--dry-run', dryRun],
  ] as const) {
    if (value === undefined) continue;
    throw new AssayError({
      kind: 'usage',
      message: `${name} does not go with the directory of a study`,
      remedy:
        'Leave it out to see the report, or write it to a file with -o; to go on with the study, name its file, and the directory with --out.',
    });
  }
}

function againWords(study: string, { small }: EnginesFlags, directory: string): readonly string[] {
  return ['assay', 'engines', study, ...(small === true ? ['--small'] : []), '--out', directory];
}
