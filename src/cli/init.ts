import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { CommandContext } from './program.ts';
import { SCHEMAS } from './schema.ts';

interface Template {
  /** As it lies in the package. */
  readonly experiment: string;
  /** What it runs, and is written beside it. */
  readonly beside: readonly string[];
}

/** Examples that are made to be changed. */
const TEMPLATES = {
  'rocksdb-revisions': { experiment: '../../examples/rocksdb/revisions.yaml', beside: [] },
  slices: {
    experiment: '../../examples/slices/experiment.yaml',
    beside: ['../../examples/slices/bench.mjs', '../../drivers/slices.js'],
  },
} as const satisfies Record<string, Template>;
type TemplateName = keyof typeof TEMPLATES;

export function registerInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('write an experiment file to start from')
    .argument('[file]', 'where to', 'experiment.yaml')
    .addOption(
      new Option(
        '--template <name>',
        'rocksdb-revisions: a branch of your RocksDB against its merge base; slices: a benchmark that works in slices',
      ).choices(Object.keys(TEMPLATES)),
    )
    .addHelpText(
      'after',
      `
Examples:
  assay init
  assay init write-path.yaml && assay plan write-path.yaml
  assay init my-branch.yaml --template rocksdb-revisions
  assay init --template slices`,
    )
    .action(async (file: string, { template }: { template?: TemplateName }) => {
      const beside = template === undefined ? [] : TEMPLATES[template].beside;
      const files = [
        { path: file, text: template === undefined ? await starter() : fromExample(template) },
        ...beside.map((source) => ({ path: join(dirname(file), basename(source)), text: besideText(source) })),
      ];
      // All of them, or none.
      const there = files.find(({ path }) => existsSync(path));
      if (there !== undefined) throw exists(there.path);
      for (const { path, text } of files) write(path, text);
      const written = files.map(({ path }) => path).join(', ');
      context.streams.err(`${written} written. Edit, then: assay plan ${file}; assay run ${file}\n`);
    });
}

/** A file that must not be there yet. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw exists(path);
    throw fileFailure(error, path, 'write the experiment file', undefined, 'as in: assay init FILE');
  }
}

function exists(path: string): AssayError {
  return new AssayError({ kind: 'usage', message: `${path} exists`, remedy: 'Name another file: assay init FILE.' });
}

/** A program of an example, which finds its library beside it. */
function besideText(source: string): string {
  return readFileSync(new URL(source, import.meta.url), 'utf8').replace("'../../drivers/slices.js'", "'./slices.js'");
}

const schemaPath = () => fileURLToPath(new URL('experiment.schema.json', SCHEMAS));

async function starter(): Promise<string> {
  const { starterExperiment } = await import('../experiment/template.ts');
  return starterExperiment(schemaPath());
}

/** The example, but for its first line, which names the schema by a path that holds only where it lies. */
function fromExample(template: TemplateName): string {
  const text = readFileSync(new URL(TEMPLATES[template].experiment, import.meta.url), 'utf8');
  return text.replace(/^.*/, () => `# yaml-language-server: $schema=${schemaPath().replace(/[\r\n]/g, ' ')}`);
}
