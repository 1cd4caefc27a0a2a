import type { Command } from 'commander';
import { MOST_SEED, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';

interface PlanFlags {
  readonly seed?: number;
  readonly from?: string;
  readonly json?: boolean;
}

export function registerPlan(program: Command, context: CommandContext): void {
  program
    .command('plan')
    .description('show the order of trials, how long they take and what they could detect; runs nothing')
    .argument('<file>', 'experiment file')
    .option('--seed <n>', 'seed of the order, where the file has none', wholeNumber(0, MOST_SEED))
    .option('--from <dir>', 'take time and spread from this run (default: the latest run of the same experiment)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  assay plan experiment.yaml\n  assay plan experiment.yaml --from assay-runs/2026-01-31T12-00-00Z-a',
    )
    .action(async (file: string, flags: PlanFlags) => {
      const { planExperiment } = await import('../pipeline.ts');
      const { missingSources } = await import('../run/missing-sources.ts');
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      const { planText } = await import('../report/plan.ts');
      const { escapeText } = await import('../report/plain-text.ts');
      const { out, err } = context.streams;
      const source = readExperimentFile(file);
      const planned = planExperiment({ source, seed: flags.seed ?? null, from: flags.from ?? null });
      out(flags.json === true ? `${JSON.stringify(planned, null, 2)}\n` : planText(planned));
      // The plan holds without them, and a run would not begin.
      for (const { arm, message, remedy } of await missingSources(planned.experiment, source.directory, context.env)) {
        err(`${escapeText(`note: arm ${arm}: ${message}. ${remedy}`)}\n`);
      }
    });
}
