import type { Command } from 'commander';
import { AssayError } from '../failures.ts';
import { FORMAT_NAMES, isFormat } from '../report/format-names.ts';
import type { CommandContext } from './program.ts';

interface ReportFlags {
  readonly format: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function registerReport(program: Command, context: CommandContext): void {
  program
    .command('report')
    .description('show what a run found; nothing is executed')
    .argument('<dir>', 'directory of a run')
    .option(
      '-f, --format <format>',
      `${FORMAT_NAMES.slice(0, -1).join(', ')} or ${FORMAT_NAMES.at(-1)} (csv has the trials)`,
      'text',
    )
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .option('--json', 'short for --format json')
    .option('-q, --quiet', 'findings only')
    .addHelpText(
      'after',
      `
The exit code says only whether the report could be made, not what it found.

Examples:
  assay report assay-runs/2026-01-31T12-00-00Z-write-path
  assay report results --format html -o report.html`,
    )
    .action(async (directory: string, flags: ReportFlags) => {
      const format = flags.json === true ? 'json' : flags.format;
      if (!isFormat(format)) {
        throw new AssayError({
          kind: 'usage',
          message: `there is no format ${format}`,
          remedy: `Formats are: ${FORMAT_NAMES.join(', ')}.`,
        });
      }
      const { FORMATS } = await import('../report/formats.ts');
      const { analyseRun } = await import('../pipeline.ts');
      const outcome = analyseRun(directory);
      const { streams } = context;
      const options = {
        color: flags.output === undefined && streams.outColor,
        quiet: flags.quiet === true,
        width: flags.output === undefined ? streams.width : 120,
      };
      const text = await FORMATS[format]({ ...outcome, options });
      if (flags.output === undefined) {
        streams.out(text);
      } else {
        const { writeOutput } = await import('../io/atomic-file.ts');
        await writeOutput(flags.output, text, 'with -o');
      }
    });
}
