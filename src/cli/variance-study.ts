import type { Command } from 'commander';
import type { Deviation } from '../analysis/stats/coefficient.ts';
import { evenPairs, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import {
  type AccountFlags,
  addAccount,
  deviationOption,
  limitValue,
  MOST_STEPS,
  refuseNothing,
  showVariance,
  stepNames,
  usage,
} from './variance-options.ts';

interface StudyFlags extends AccountFlags {
  readonly deviation?: Deviation;
  readonly steps?: readonly string[];
  readonly limit?: number;
  readonly metric?: string;
  readonly pairs?: number;
  readonly workload?: string;
  readonly threads?: number;
}

export function registerVarianceStudy(variance: Command, context: CommandContext): void {
  const command = variance
    .command('study', { isDefault: true })
    .description('the study in a file, which names set-ups and their results; the word `study` can be left out')
    .argument('<study>', 'study file (YAML or JSON; assay schema variance-study)')
    .addOption(deviationOption())
    .option('--steps <names>', 'steps, with commas between them', stepNames)
    .option('--limit <x>', 'largest coefficient of a good set-up, such as 0.03 or 3%', limitValue)
    .option('--metric <name>', "metric whose variance is meant, by the name that the tool's reader gives it")
    .option('--pairs <n>', 'pairs of the comparison whose smallest change is told', evenPairs)
    .option('--workload <name>', 'the workload of results for which the study has none')
    .option('--threads <n>', 'the client threads of results for which the study has none', wholeNumber(1, 999_999));
  addAccount(command)
    .addHelpText(
      'after',
      `
The results may be of any tool that Assay reads. Options win over what the study says. Nothing is executed.

Examples:
  assay variance study.yaml
  assay variance study.yaml --steps readrandom,overwrite --format html -o variance.html

Exit codes:
  0    done, whether or not a set-up is good
  2    wrong usage, a mistake in the study, or nothing that can be read
  3    a file or directory cannot be read`,
    )
    .action(async (file: string, flags: StudyFlags) => {
      const { readStudyFile } = await import('../variance-run/study-file.ts');
      const { importStudy } = await import('../variance-run/import-directory.ts');
      const { study, directory } = readStudyFile(file);
      if (study.results.length === 0) {
        throw usage(
          `${file} names no set-up with results`,
          'Measure with `assay variance run`, then name what it wrote under `setups`.',
        );
      }
      const { deviation, steps, limit, metric, pairs, workload, threads } = flags;
      const wanted = {
        ...study,
        deviation: deviation ?? study.deviation,
        steps: steps ?? study.steps,
        limit: limit ?? study.limit,
        metric: metric ?? study.metric,
        pairs: pairs ?? study.pairs,
        results: study.results.map((of) => ({
          ...of,
          workload: of.workload ?? workload ?? null,
          threads: of.threads ?? threads ?? null,
        })),
      };
      const { imported, cut } = importStudy(wanted, directory, MOST_STEPS);
      refuseNothing(imported, wanted.metric, {
        where: `of the set-ups of ${file}`,
        remedy: 'Name the tool that wrote them under `tool`, and a metric that it has under `metric`.',
        metric: 'Name another under `metric`.',
      });
      if (cut) context.streams.err('note: there are more files, or deeper directories, than are looked at\n');
      await showVariance(imported, wanted, { title: study.title, source: 'elsewhere' }, flags, context);
    });
}
