import type { Command } from 'commander';
import { evenPairs, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import {
  type AccountFlags,
  type AccountRules,
  addAccount,
  deviationOption,
  limitValue,
  MOST_STEPS,
  refuseNothing,
  showVariance,
  stepNames,
  usage,
} from './variance-options.ts';

interface ImportFlags extends AccountFlags, AccountRules {
  readonly steps?: readonly string[];
  readonly layout?: string;
  readonly workload?: string;
  readonly threads?: number;
}

export function registerVarianceImport(variance: Command, context: CommandContext): void {
  const command = variance
    .command('import')
    .description(
      "read results measured elsewhere: sum.*.txt and report.tsv of RocksDB's benchmark.sh; nothing is executed",
    )
    .argument('<dir>', 'directory with the results of all set-ups')
    .addOption(deviationOption().default('sample'))
    .option('--steps <names>', 'steps, with commas between them (default: all that there are)', stepNames)
    .option('--limit <x>', 'largest coefficient of a good set-up, such as 0.03 or 3%', limitValue, 0.03)
    .option('--metric <column>', 'column of the reports whose variance is meant', 'ops_sec')
    .option('--pairs <n>', 'pairs of the comparison whose smallest change is told', evenPairs, 16)
    .option('--layout <pattern>', 'how paths below DIR are read, with {setup}, {workload}, {threads} and {any}')
    .option('--workload <name>', 'the workload of all files, whatever their paths say')
    .option('--threads <n>', 'the client threads of all files, whatever their paths say', wholeNumber(1, 999_999));
  addAccount(command)
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
      const { compileLayout } = await import('../storage/result-place.ts');
      const layout = flags.layout === undefined ? null : compileLayout(flags.layout);
      if (flags.layout !== undefined && layout === null) {
        throw usage(
          `${flags.layout} is no layout`,
          "Write a path below DIR in which {setup}, {workload} and {threads} stand at most once, such as '{setup}/dop{threads}/{workload}.txt'.",
        );
      }
      const { importDirectory } = await import('../variance-run/import-directory.ts');
      const { imported, cut } = importDirectory(directory, {
        steps: flags.steps ?? null,
        metric: flags.metric,
        layout,
        workload: flags.workload ?? null,
        threads: flags.threads ?? null,
        mostSteps: MOST_STEPS,
      });
      refuseNothing(imported, flags.metric, {
        where: `below ${directory}`,
        remedy:
          'Name a directory with sum.*.txt or report.tsv of benchmark.sh, or say with --layout how its paths are read.',
        metric: 'Name a column of the reports with --metric, such as ops_sec, usec_op or p99.',
      });
      if (cut) context.streams.err('note: there are more files, or deeper directories, than are looked at\n');
      await showVariance(imported, flags, { title: null, source: 'elsewhere' }, flags, context);
    });
}
