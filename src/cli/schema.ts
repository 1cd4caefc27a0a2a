import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import type { CommandContext } from './program.ts';

/** Where the packed schemas lie. */
export const SCHEMAS = new URL('../../schemas/', import.meta.url);

export function registerSchema(program: Command, context: CommandContext): void {
  program
    .command('schema')
    .description(
      'print the JSON Schema of experiment or study files, of results.json, or of what doctor, calibrate, variance or engines print with --json',
    )
    .addArgument(
      new Argument('[of]', 'what to describe')
        .choices([
          'experiment',
          'results',
          'doctor',
          'calibration',
          'variance',
          'variance-study',
          'engines',
          'engines-study',
        ])
        .default('experiment'),
    )
    .addHelpText('after', '\nExamples:\n  assay schema > experiment.schema.json\n  assay schema results')
    .action((of: string) => {
      context.streams.out(readFileSync(new URL(`${of}.schema.json`, SCHEMAS), 'utf8'));
    });
}
