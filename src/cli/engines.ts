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
      '-o, --out <dir>',
      'directory of the study (default: assay-runs/<time>-<title>-engines); one that was stopped goes on',
    )
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
  assay engines study.yaml --out engines --seed 42
  assay engines engines --format markdown

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
        await show(await studiedEngines(study), flags, context);
        return;
      }
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      const source = readExperimentFile(study);
      const { streams, env, exit } = context;
      const { emit, finish } = progressDisplay(streams, flags.quiet === true, () => performance.now());
      await stoppable(async (stop) => {
        const { studyEngines } = await import('../engines.ts');
        const outcome = await studyEngines({
          ...{ keep: false, keepGoing: false, env, emit, stop, source },
          ...{ small: flags.small === true, out: flags.out ?? null, seed: flags.seed ?? null },
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
          await show(outcome.findings, flags, context);
          const { writeStudyReports } = await import('../run/study-reports.ts');
          await writeStudyReports(outcome.directory, outcome.findings);
        }
        const { writePage } = await import('../run/reports.ts');
        for (const run of outcome.begun) await writePage(run);
      });
    });
}

async function show(findings: EngineFindings, flags: EnginesFlags, { streams }: CommandContext): Promise<void> {
  const { enginesReport } = await import('../report/engines-formats.ts');
  const format = flags.json === true ? 'json' : flags.format;
  const options = { color: streams.outColor, width: streams.width };
  if (format === 'html') {
    const { enginesPage } = await import('../report/html/engines-page.ts');
    const { assayVersion } = await import('../io/version.ts');
    streams.out(enginesPage({ assay: assayVersion(), findings }));
    return;
  }
  const { assayVersion } = await import('../io/version.ts');
  streams.out(enginesReport(format, { assay: assayVersion(), findings }, options));
}

/** Of a study that has run nothing can be asked for any more. */
function refuseSettled({ small, out, seed }: EnginesFlags): void {
  for (const [name, value] of [
    ['--small', small],
    ['--out', out],
    ['--seed', seed],
  ] as const) {
    if (value === undefined) continue;
    throw new AssayError({
      kind: 'usage',
      message: `${name} does not go with the directory of a study`,
      remedy:
        'Leave it out to see the report, which lies in the directory as engines.md and engines.html too; to go on with the study, name its file, and the directory with --out.',
    });
  }
}

function againWords(study: string, { small }: EnginesFlags, directory: string): readonly string[] {
  return ['assay', 'engines', study, ...(small === true ? ['--small'] : []), '--out', directory];
}
