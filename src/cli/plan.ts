import type { Command } from 'commander';
import type { AskedChange } from '../analysis/detection.ts';
import { MOST_SEED, timeSpan, wantedChange, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';

interface PlanFlags {
  readonly seed?: number;
  readonly from?: string;
  readonly detect?: AskedChange;
  readonly within?: number;
  readonly json?: boolean;
}

export function registerPlan(program: Command, context: CommandContext): void {
  program
    .command('plan')
    .description('show the order of trials, how long they take and what they could detect; runs nothing')
    .argument('<file>', 'experiment file')
    .option('--seed <n>', 'seed of the order, where the file has none', wholeNumber(0, MOST_SEED))
    .option('--from <dir>', 'take time and spread from this run (default: the latest run of the same experiment)')
    .option('--detect <change>', 'how many pairs find a change of this size with 80 % power, such as 1%', wantedChange)
    .option('--within <time>', 'how many pairs fit into this time, such as 10m, and what they find', timeSpan)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
--detect asks of primary metrics: a percentage of those compared by their ratio, a number in the unit of a metric of
\`kind: difference\`. Spread and time come from an earlier run (--from), else a screening of the same experiment, else what
assay calibrate found of its workload here, else its confirmation; never the effect that was found there.

Examples:
  assay plan experiment.yaml
  assay plan experiment.yaml --detect 1%
  assay plan experiment.yaml --within 10m --from assay-runs/2026-01-31T12-00-00Z-a
  assay plan memory.yaml --detect 2      (2 of the metric's unit)`,
    )
    .action(async (file: string, flags: PlanFlags) => {
      const { planExperiment } = await import('../pipeline.ts');
      const { sourceNotes } = await import('../run/source-notes.ts');
      const { readExperimentFile } = await import('../run/experiment-file.ts');
      const { planText } = await import('../report/plan.ts');
      const { escapeText } = await import('../report/plain-text.ts');
      const { out, err } = context.streams;
      const source = readExperimentFile(file);
      const planned = await planExperiment({
        ...{ source, env: context.env, seed: flags.seed ?? null, from: flags.from ?? null },
        ...{ detect: flags.detect ?? null, within_seconds: flags.within ?? null },
      });
      out(flags.json === true ? `${JSON.stringify(planned, null, 2)}\n` : planText(planned));
      // The plan holds without them, and a run would not begin.
      for (const { arm, message, remedy } of await sourceNotes(planned.experiment, source.directory, context.env)) {
        err(`${escapeText(`note: ${arm === null ? '' : `arm ${arm}: `}${message}. ${remedy}`)}\n`);
      }
    });
}
