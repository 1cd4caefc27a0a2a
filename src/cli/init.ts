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
/** A study, which is no experiment. */
const STUDY = 'engines';
type TemplateName = keyof typeof TEMPLATES | typeof STUDY;

export function registerInit(program: Command, context: CommandContext): void {
  program
    .command('init')
    .description('write an experiment file to start from')
    .argument('[file]', 'where to', 'experiment.yaml')
    .addOption(
      new Option(
        '--template <name>',
        'rocksdb-revisions: a branch of your RocksDB against its merge base; slices: a benchmark that works in slices; engines: a study of engines side by side',
      ).choices([...Object.keys(TEMPLATES), STUDY]),
    )
    .addHelpText(
      'after',
      `
Examples:
  assay init
  assay init write-path.yaml && assay plan write-path.yaml
  assay init my-branch.yaml --template rocksdb-revisions
  assay init --template slices
  assay init study.yaml --template engines && assay engines study.yaml --small`,
    )
    .action(async (file: string, { template }: { template?: TemplateName }) => {
      const beside = template === undefined || template === STUDY ? [] : TEMPLATES[template].beside;
      const files = [
        { path: file, text: await textOf(template) },
        ...beside.map((source) => ({ path: join(dirname(file), basename(source)), text: besideText(source) })),
      ];
      // All of them, or none.
      const there = files.find(({ path }) => existsSync(path));
      if (there !== undefined) throw exists(there.path);
      for (const { path, text } of files) write(path, text);
      const written = files.map(({ path }) => path).join(', ');
      const then = template === STUDY ? `assay engines ${file} --small` : `assay plan ${file}; assay run ${file}`;
      context.streams.err(`${written} written. Edit, then: ${then}\n`);
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

const schemaPath = (of: string) => fileURLToPath(new URL(`${of}.schema.json`, SCHEMAS));

async function textOf(template: TemplateName | undefined): Promise<string> {
  if (template === STUDY) {
    const { starterStudy } = await import('../storage/engines/template.ts');
    return starterStudy(schemaPath('engines-study'));
  }
  if (template !== undefined) return fromExample(template);
  const { starterExperiment } = await import('../experiment/template.ts');
  return starterExperiment(schemaPath('experiment'));
}

/** The example, but for its first line, which names the schema by a path that holds only where it lies. */
function fromExample(template: keyof typeof TEMPLATES): string {
  const text = readFileSync(new URL(TEMPLATES[template].experiment, import.meta.url), 'utf8');
  return text.replace(
    /^.*/,
    () => `# yaml-language-server: $schema=${schemaPath('experiment').replace(/[\r\n]/g, ' ')}`,
  );
}
