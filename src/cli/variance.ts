import type { Command } from 'commander';
import type { CommandContext } from './program.ts';
import { registerVarianceImport } from './variance-import.ts';
import { registerVarianceRun } from './variance-run.ts';
import { registerVarianceStudy } from './variance-study.ts';

export function registerVariance(program: Command, context: CommandContext): void {
  const variance = program
    .command('variance')
    .description(
      'say how well set-ups (a machine, its settings, a number of client threads) repeat, and which are good to test on',
    )
    .addHelpText(
      'after',
      `
Examples:
  assay variance study.yaml
  assay variance import results/ --limit 0.03
  assay variance run --small
  assay variance import --help`,
    );
  registerVarianceStudy(variance, context);
  registerVarianceImport(variance, context);
  registerVarianceRun(variance, context);
}
