import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { CommandContext } from './program.ts';
import { SCHEMAS } from './schema.ts';

/** Examples that are made to be changed, as they lie in the package. */
const TEMPLATES = { 'rocksdb-revisions': '../../examples/rocksdb/revisions.yaml' } as const;
type Template = keyof typeof TEMPLATES;

export function registerInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('write an experiment file to start from')
    .argument('[file]', 'where to', 'experiment.yaml')
    .addOption(
      new Option('--template <name>', 'rocksdb-revisions: a branch of your RocksDB against its merge base').choices(
        Object.keys(TEMPLATES),
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  assay init
  assay init write-path.yaml && assay plan write-path.yaml
  assay init my-branch.yaml --template rocksdb-revisions`,
    )
    .action(async (file: string, { template }: { template?: Template }) => {
      const text = template === undefined ? await starter() : fromExample(template);
      try {
        writeFileSync(file, text, { flag: 'wx' });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
          throw new AssayError({
            kind: 'usage',
            message: `${file} exists`,
            remedy: 'Name another file: assay init FILE.',
          });
        }
        throw fileFailure(error, file, 'write the experiment file', undefined, 'as in: assay init FILE');
      }
      context.streams.err(`${file} written. Edit it, then: assay plan ${file}; assay run ${file}\n`);
    });
}

const schemaPath = () => fileURLToPath(new URL('experiment.schema.json', SCHEMAS));

async function starter(): Promise<string> {
  const { starterExperiment } = await import('../experiment/template.ts');
  return starterExperiment(schemaPath());
}

/** The example, but for its first line, which names the schema by a path that holds only where it lies. */
function fromExample(template: Template): string {
  const text = readFileSync(new URL(TEMPLATES[template], import.meta.url), 'utf8');
  return text.replace(/^.*/, () => `# yaml-language-server: $schema=${schemaPath().replace(/[\r\n]/g, ' ')}`);
}
