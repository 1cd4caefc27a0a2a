import type { Command } from 'commander';
import { AssayError } from '../failures.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import type { CommandContext } from './program.ts';
import { addRunOptions, type RunFlags, runAndShow } from './run-options.ts';

export function registerRun(program: Command, context: CommandContext): void {
  addRunOptions(program.command('run'))
    .description('run an experiment file, or go on with a run that was stopped')
    .argument('[file]', 'experiment file (YAML or JSON)')
    .option('--resume <dir>', 'go on with the run in this directory')
    .addHelpText(
      'after',
      `
Examples:
  assay run experiment.yaml
  assay run experiment.yaml --out results --seed 42 --require-conclusive
  assay run --resume results
${EXIT_CODES_HELP}`,
    )
    .action(async (file: string | undefined, flags: RunFlags & { resume?: string }) => {
      const { resume } = flags;
      if ((file === undefined) === (resume === undefined)) {
        throw new AssayError({
          kind: 'usage',
          message: file === undefined ? 'no experiment file was named' : 'a file and --resume exclude each other',
          remedy: 'Use: assay run FILE, or: assay run --resume DIR. `assay init` writes a file to start from.',
        });
      }
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      // Before signals are taken over: reading may wait for the other end of a pipe.
      const source = file === undefined ? null : readExperimentFile(file);
      const { resumeRun, startRun } = await import('../pipeline.ts');
      await runAndShow(flags, context, async (setting) => {
        if (source !== null) return startRun({ ...setting, source, out: flags.out ?? null, seed: flags.seed ?? null });
        refuseWithResume(flags);
        return resumeRun({ ...setting, directory: resume ?? '' });
      });
    });
}

function refuseWithResume(flags: RunFlags): void {
  for (const [name, value] of [
    ['--out', flags.out],
    ['--seed', flags.seed],
  ] as const) {
    if (value === undefined) continue;
    throw new AssayError({
      kind: 'usage',
      message: `${name} does not go with --resume`,
      remedy: 'A run keeps its directory, its seed and its plan; leave the option out.',
    });
  }
}
