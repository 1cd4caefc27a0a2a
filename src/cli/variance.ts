import { basename, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Deviation } from '../analysis/stats/coefficient.ts';
import { parseFraction } from '../experiment/quantities.ts';
import { AssayError } from '../failures.ts';
import { evenPairs, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';

interface ImportFlags {
  readonly deviation: Deviation;
  readonly steps?: readonly string[];
  readonly limit: number;
  readonly metric: string;
  readonly pairs: number;
  readonly layout?: string;
  readonly workload?: string;
  readonly threads?: number;
  readonly format: 'text' | 'markdown' | 'html' | 'csv' | 'json';
  readonly json?: boolean;
  readonly output?: string;
}

/** A summary of a hundred repetitions of a hundred steps has 2 MB. */
const MOST_BYTES = 16 * 2 ** 20;
/** Steps are columns: of more than these no table can be read. */
const MOST_STEPS = 100;
const LEVEL = 0.95;

export function registerVariance(program: Command, context: CommandContext): void {
  const variance = program
    .command('variance')
    .description(
      'say how well set-ups (a machine, its settings, a number of client threads) repeat, and which are good to test on',
    )
    .addHelpText('after', '\nExamples:\n  assay variance import results/ --limit 0.03\n  assay variance import --help');

  variance
    .command('import')
    .description(
      "read results measured elsewhere: sum.*.txt and report.tsv of RocksDB's benchmark.sh; nothing is executed",
    )
    .argument('<dir>', 'directory with the results of all set-ups')
    .addOption(
      new Option('--deviation <which>', 'sample (n − 1 in the denominator) or population (n)')
        .choices(['sample', 'population'])
        .default('sample'),
    )
    .option('--steps <names>', 'steps, with commas between them (default: all that there are)', stepNames)
    .option('--limit <x>', 'largest coefficient of a good set-up, such as 0.03 or 3%', limitValue, 0.03)
    .option('--metric <column>', 'column of the reports whose variance is meant', 'ops_sec')
    .option('--pairs <n>', 'pairs of the comparison whose smallest change is told', evenPairs, 16)
    .option('--layout <pattern>', 'how paths below DIR are read, with {setup}, {workload}, {threads} and {any}')
    .option('--workload <name>', 'the workload of all files, whatever their paths say')
    .option('--threads <n>', 'the client threads of all files, whatever their paths say', wholeNumber(1, 999_999))
    .addOption(
      new Option('-f, --format <format>', 'text, markdown, html, csv or json')
        .choices(['text', 'markdown', 'html', 'csv', 'json'])
        .default('text'),
    )
    .option('--json', 'short for --format json')
    .option('-o, --output <file>', 'write to this file instead of stdout')
    .addHelpText(
      'after',
      `
A set-up is a directory, without .ntN; its threads are N of ntN or dopN in the path; its workload is the rest of the
file's name: m5.2xl.ht0.nt4/sum.byrx.txt, m5.2xl.ht0/sum.iobuf.dop4.txt, m5.2xl.ht0/dop4/byrx/report.tsv. Other files are
listed as ignored. Repetitions are the rows of one test. The step overwrite is the test overwriteandwait where there is no
overwrite. A set-up is good where no coefficient is above the limit: a rule about what was found, not an inference.

Examples:
  assay variance import results/
  assay variance import results/ --deviation population --steps fillseq,readrandom,overwrite --json
  assay variance import results/ --layout '{any}/{setup}/t{threads}/{workload}.tsv' --format markdown -o variance.md

Exit codes:
  0    done, whether or not a set-up is good
  2    wrong usage, or nothing that can be read
  3    the directory cannot be read`,
    )
    .action(async (directory: string, flags: ImportFlags) => {
      const { importResults } = await import('../storage/import-results.ts');
      const { compileLayout } = await import('../storage/result-place.ts');
      const { studyVariance } = await import('../storage/variance.ts');
      const { filesBelow, readText } = await import('../io/text-files.ts');
      const { assayVersion } = await import('../io/version.ts');
      const layout = flags.layout === undefined ? null : compileLayout(flags.layout);
      if (flags.layout !== undefined && layout === null) {
        throw usage(
          `${flags.layout} is no layout`,
          "Write a path below DIR in which {setup}, {workload} and {threads} stand at most once, such as '{setup}/dop{threads}/{workload}.txt'.",
        );
      }
      const { files, cut } = filesBelow(directory);
      const imported = importResults(
        {
          root: basename(resolve(directory)) || 'results',
          paths: files,
          read: (path) => readText(directory, path, MOST_BYTES),
        },
        {
          steps: flags.steps ?? null,
          metric: flags.metric,
          layout,
          workload: flags.workload ?? null,
          threads: flags.threads ?? null,
          mostSteps: MOST_STEPS,
        },
      );
      refuseNothing(directory, flags, imported);
      if (cut) context.streams.err('note: there are more files, or deeper directories, than are looked at\n');
      const rules = { steps: imported.steps, deviation: flags.deviation, limit: flags.limit, level: LEVEL };
      const studied = studyVariance(imported.series, rules);
      const input = {
        assay: assayVersion(),
        metric: flags.metric,
        pairs: flags.pairs,
        imported,
        variance: { ...studied, warnings: [...imported.warnings, ...studied.warnings] },
      };
      const { streams } = context;
      const file = flags.output !== undefined;
      const look = { color: !file && streams.outColor, width: file ? 120 : streams.width };
      const text = await written(input, flags.json === true ? 'json' : flags.format, look);
      if (flags.output === undefined) {
        streams.out(text);
      } else {
        const { writeOutput } = await import('../io/atomic-file.ts');
        await writeOutput(flags.output, text, 'with -o');
      }
    });
}

async function written(
  input: Parameters<typeof import('../report/variance-json.ts').varianceDocument>[0],
  format: ImportFlags['format'],
  look: { readonly color: boolean; readonly width: number },
): Promise<string> {
  if (format === 'json') {
    const { varianceDocument } = await import('../report/variance-json.ts');
    return `${JSON.stringify(varianceDocument(input), null, 2)}\n`;
  }
  if (format === 'html') return (await import('../report/html/variance-page.ts')).variancePage(input);
  const { varianceCsv, varianceMarkdown, varianceText } = await import('../report/variance-formats.ts');
  return format === 'csv'
    ? varianceCsv(input)
    : format === 'markdown'
      ? varianceMarkdown(input)
      : varianceText(input, look);
}

/** A table of nothing would look like a result. */
function refuseNothing(
  directory: string,
  flags: ImportFlags,
  imported: Awaited<ReturnType<typeof import('../storage/import-results.ts').importResults>>,
): void {
  if (imported.steps.length > MOST_STEPS) {
    throw usage(`the files have ${imported.steps.length} steps`, 'Name those that count with --steps.');
  }
  if (imported.read.length === 0) {
    const [first] = imported.ignored;
    const more = first === undefined ? 'it has no files' : `${first.path} ${first.reason}`;
    throw usage(
      `no results can be read below ${directory}: ${more}`,
      'Name a directory with sum.*.txt or report.tsv of benchmark.sh, or say with --layout how its paths are read.',
    );
  }
  for (const step of imported.steps) {
    if (imported.series.some((one) => one.step === step && one.values.length + one.missing > 0)) continue;
    throw usage(`no file has the step ${step}`, `There are: ${imported.found.join(', ')}.`);
  }
  if (imported.series.every(({ values }) => values.length === 0)) {
    throw usage(
      `no file has a number in the column ${flags.metric}`,
      'Name a column of the reports with --metric, such as ops_sec, usec_op or p99.',
    );
  }
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}

function stepNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const plain = names.every((name) => /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,16}$/.test(name));
  if (plain && names.length <= MOST_STEPS && new Set(names).size === names.length) return names;
  throw new InvalidArgumentError('Expected different names with commas between them, such as fillseq,readrandom.');
}

function limitValue(text: string): number {
  const value = text.endsWith('%') ? parseFraction(text) : /^\d{1,3}(\.\d{1,12})?$/.test(text) ? Number(text) : null;
  if (value !== null && value > 0) return value;
  throw new InvalidArgumentError('Expected a fraction such as 0.03, or a percentage such as 3%.');
}
