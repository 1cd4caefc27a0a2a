import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { CommandContext } from './program.ts';
import { SCHEMAS } from './schema.ts';

export function registerInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('write an experiment file to start from')
    .argument('[file]', 'where to', 'experiment.yaml')
    .addHelpText('after', '\nExamples:\n  assay init\n  assay init write-path.yaml && assay plan write-path.yaml')
    .action(async (file: string) => {
      const { starterExperiment } = await import('../experiment/template.ts');
      const schema = fileURLToPath(new URL('experiment.schema.json', SCHEMAS));
      try {
        writeFileSync(file, starterExperiment(schema), { flag: 'wx' });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
          throw new AssayError({
            kind: 'usage',
            message: `${file} exists`,
            remedy: 'Name another file: assay init FILE.',
          });
        }
        throw fileFailure(error, file, 'write the experiment file');
      }
      context.streams.err(`${file} written. Edit it, then: assay plan ${file}; assay run ${file}\n`);
    });
}
