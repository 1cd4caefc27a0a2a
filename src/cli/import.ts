import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseFraction } from '../experiment/quantities.ts';
import { ARM_NAME_PATTERN } from '../experiment/schema-leaves.ts';
import { AssayError } from '../failures.ts';
import { TOOL_NAMES, type ToolName } from '../formats/tools.ts';
import type { NamedSide } from '../imported/sides.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { changeText } from './options.ts';
import type { CommandContext } from './program.ts';
import { type RunFlags, runAndShow } from './run-options.ts';

interface ImportFlags extends Pick<RunFlags, 'out' | 'json' | 'quiet' | 'requireConclusive'> {
  readonly arm: readonly string[];
  readonly sides?: readonly string[];
  readonly tool?: ToolName;
  readonly metric: readonly string[];
  readonly interleaved?: boolean;
  readonly title?: string;
  readonly threshold?: string;
  readonly margin?: string;
}

export function registerImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('compare results that were measured elsewhere, by the output of other tools; nothing is executed')
    .argument('[file...]', 'one file with the results of all sides, or with --sides a file for each side')
    .option('--arm <name=file...>', 'a side and its files; the first side is the reference (repeatable)', collect, [])
    .option(
      '--sides <names>',
      'names of the sides, with commas between them, in the order of the results or files',
      names,
    )
    .addOption(
      new Option('--tool <name>', 'the tool that wrote the files (default: the one whose reader takes them)').choices(
        TOOL_NAMES,
      ),
    )
    .option(
      '--metric <name...>',
      'METRIC or RESULT.METRIC that the verdict is read from (default: the first time or rate of each result)',
      collect,
      [],
    )
    .option('--interleaved', 'the sides ran in turns, repetition by repetition (your word, and told so)')
    .option('--title <text>', 'title of the reports')
    .option('--threshold <x>', 'changes up to this do not count as slower or faster (5% or 0.05)', changeText)
    .option('--margin <x>', 'test for equivalence within this margin (2% or 0.02)', changeText)
    .option('-o, --out <dir>', 'directory of the run (default: assay-runs/<time>-<title>)')
    .option('--json', 'print results.json to stdout instead of the report')
    .option('-q, --quiet', 'of the report the findings only')
    .option('--require-conclusive', `exit ${EXIT.inconclusive} where a primary metric is inconclusive`)
    .addHelpText(
      'after',
      `
Makes the directory of a run, with copies of the files, journal and reports; assay report, bundle and verify take it as
any other. Repetitions are paired in the order of the files. Unless the times in the files show that the sides ran in
turns, or --interleaved says so, there is no verdict but "inconclusive": what drifted between the sides is in the change.
Where a tool repeats within one process, give each side a file for each process.

Tools: ${TOOL_NAMES.join(', ')}

Examples:
  assay import --arm before=old.json --arm after=new.json
  assay import --arm before= runs/old-*.txt --arm after= runs/new-*.txt --interleaved --out compared
  assay import both.json --sides old,new
  assay import --arm v1=v1.tsv --arm v2=v2.tsv --arm v3=v3.tsv --tool benchmark_sh --metric readrandom.t4.ops_per_second
${EXIT_CODES_HELP}`,
    )
    .action(async (files: readonly string[], flags: ImportFlags) => {
      const sides = await sidesOf(files, flags);
      const { importAndAnalyse } = await import('../pipeline.ts');
      await runAndShow(flags, context, ({ env, emit }) =>
        importAndAnalyse({
          ...{ sides, names: flags.sides ?? null, tool: flags.tool ?? null, metrics: flags.metric },
          ...{ interleaved: flags.interleaved === true, title: flags.title ?? null, out: flags.out ?? null },
          ...limitsOf(flags),
          ...{ env, emit },
        }),
      );
    });
}

/** One side alone stands for a file that has all of them. */
async function sidesOf(files: readonly string[], { arm, sides }: ImportFlags): Promise<readonly NamedSide[]> {
  if (files.length > 0 && arm.length > 0) {
    throw usage(
      `${files[0]} belongs to no side`,
      'Give files after --arm NAME=, or without --arm one that has all sides.',
    );
  }
  if (arm.length > 0) {
    const { sidesOfWords } = await import('../imported/sides.ts');
    const named = sidesOfWords(arm);
    if (!named.ok) throw usage(named.message, named.remedy);
    if (sides !== undefined)
      throw usage('--sides and --arm exclude each other', 'With --arm each side has its name already.');
    if (named.value.length < 2)
      throw usage('there is one side, and nothing to compare it with', 'Give another: --arm NAME=FILE.');
    return named.value;
  }
  const [only] = files;
  if (only === undefined) {
    throw usage('no files were named', 'Use: assay import --arm before=FILE --arm after=FILE, or assay import FILE.');
  }
  if (files.length === 1) return [{ arm: '', files: [only] }];
  if (sides?.length === files.length) return files.map((file, at) => ({ arm: sides[at] ?? '', files: [file] }));
  throw usage(
    `which side each of ${files.length} files is was not said`,
    'Say it: --arm before=old.json --arm after=new.json, or --sides with a name for each file.',
  );
}

function limitsOf({ threshold, margin }: ImportFlags): { readonly threshold: number; readonly margin: number | null } {
  const limits = { threshold: fraction(threshold) ?? 0, margin: fraction(margin) };
  if (limits.margin !== null && (limits.margin === 0 || limits.margin < limits.threshold)) {
    throw usage('the margin is 0 or narrower than the threshold', 'Choose a wider margin.');
  }
  return limits;
}

function fraction(text: string | undefined): number | null {
  return text === undefined ? null : parseFraction(text.replace(' ', ''));
}

function names(text: string): readonly string[] {
  const all = text.split(',').map((name) => name.trim());
  if (all.length >= 2 && new Set(all).size === all.length && all.every((name) => ARM_NAME_PATTERN.test(name)))
    return all;
  throw new InvalidArgumentError('Expected different names with commas between them, such as old,new.');
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
