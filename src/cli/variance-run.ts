import { randomInt } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Deviation } from '../analysis/stats/coefficient.ts';
import { quoteCommand } from '../experiment/command-line.ts';
import { parseSize } from '../experiment/quantities.ts';
import {
  FEWEST_KEYS,
  flagFault,
  MOST_THREADS,
  type StudyRun,
  setupFault,
  WORKLOAD_NAMES,
  type WorkloadName,
} from '../storage/benchmark/wanted.ts';
import type { BenchmarkEnd, BenchmarkSetting } from '../variance-run/run.ts';
import { benchmarkProgress } from './benchmark-progress.ts';
import { signalExitCode } from './exit-codes.ts';
import { evenPairs, MOST_SEED, timeSpan, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { stoppable } from './signals.ts';
import {
  type AccountFlags,
  addFormat,
  deviationOption,
  limitValue,
  MOST_STEPS,
  showVariance,
  usage,
} from './variance-options.ts';

const MOST_COUNTS = 20;

interface RunFlags extends Omit<AccountFlags, 'output'> {
  readonly resume?: string;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly small?: boolean;
  readonly setup?: string;
  readonly workloads?: readonly WorkloadName[];
  readonly threads?: readonly number[];
  readonly repetitions?: number;
  readonly duration?: number;
  readonly dbBench?: string;
  readonly data?: string;
  readonly keys?: Readonly<Partial<Record<WorkloadName, number>>>;
  readonly cache?: number;
  readonly backgroundJobs?: number;
  readonly flag?: Readonly<Record<string, string>>;
  readonly seed?: number;
  readonly deviation?: Deviation;
  readonly limit?: number;
  readonly pairs?: number;
  readonly quiet?: boolean;
}

export function registerVarianceRun(variance: Command, context: CommandContext): void {
  const command = variance
    .command('run')
    .description(
      'measure how well this machine repeats: the steps of the published study, with the db_bench that is here',
    )
    .argument('[study]', 'study file with a section `run`; options win over it')
    .option('--resume <dir>', 'go on with the run in this directory')
    .option('-o, --out <dir>', 'directory of the run (default: assay-runs/<time>-variance)')
    .option('--dry-run', 'print what would run, with every derived flag and its reason; runs nothing')
    .option('--small', 'small databases and steps of a second, about a minute in all: a first look, not a measurement')
    .option('--setup <name>', 'what this set-up is called (default: its CPUs, memory and hyperthreading)', setupValue)
    .option('--workloads <names>', 'byrx (cached), iobuf (larger than memory), or both', workloadNames)
    .option('--threads <list>', 'client threads, such as 1,4 (default: 1, and the number of cores)', threadCounts)
    .option('--repetitions <n>', 'of everything (default: 3)', wholeNumber(2, 100))
    .option('--duration <time>', 'of each step but the load, such as 10m (default: 30m)', timeSpan)
    .option('--db-bench <path>', 'db_bench to run (default: that on PATH)')
    .option('--data <dir>', 'where databases are made, on the disk to be measured (default: in the run)')
    .option('--keys <workload=n>', 'pairs in the database of a workload', collectKeys)
    .option('--cache <size>', 'block cache, such as 8GiB (default: by memory)', sizeValue)
    .option('--background-jobs <n>', 'default: one a core, from 2 to 8', wholeNumber(1, 1024))
    .option('--flag <name=value>', 'another flag of db_bench; may be repeated', collectFlags)
    .option('--seed <n>', 'seed of the keys (default: drawn, and recorded)', wholeNumber(0, MOST_SEED))
    .addOption(deviationOption())
    .option('--limit <x>', 'largest coefficient of a good set-up, such as 0.03 or 3%', limitValue)
    .option('--pairs <n>', 'pairs of the comparison whose smallest change is told', evenPairs)
    .option('-q, --quiet', 'no progress, and no plan');
  addFormat(command)
    .addHelpText(
      'after',
      `
The steps, on a database that is loaded anew for each repetition: fillseq (no WAL), readrandom, fwdrangewhilewriting,
readwhilewriting, overwrite; after each that writes, db_bench waits until compactions have caught up. The directory of
the run is read by \`assay variance import\`; put those of several machines side by side for a study of all.

Examples:
  assay variance run --small
  assay variance run --dry-run
  assay variance run --setup m5d.2xl.ht1 --threads 1,4 --data /mnt/nvme --out results
  assay variance run --resume results

Exit codes:
  0    done, whether or not the set-up is good
  2    wrong usage, or a mistake in the study
  3    db_bench failed, or the disk is full
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP; what was measured is saved: assay variance run --resume DIR`,
    )
    .action(async (file: string | undefined, flags: RunFlags) => {
      if (flags.resume === undefined) await start(file, flags, context);
      else await resume(flags.resume, file, flags, context);
    });
}

async function start(file: string | undefined, flags: RunFlags, context: CommandContext): Promise<void> {
  const { settleRun, refuseMissingPlace, refuseSmallDisk } = await import('../variance-run/settle.ts');
  const { readStudyFile } = await import('../variance-run/study-file.ts');
  const { planText } = await import('../report/variance-plan.ts');
  const { startBenchmark } = await import('../variance-run/run.ts');
  const { defaultRunPath } = await import('../run/directory.ts');
  const { DEFAULT_LIMIT, DEFAULT_PAIRS } = await import('../storage/study.ts');
  const { wantedRun } = await import('../storage/benchmark/wanted.ts');
  const { streams, env } = context;
  const study = file === undefined ? null : readStudyFile(file).study;
  const out = resolve(flags.out ?? defaultRunPath('variance', Date.now()));
  const { data, ...asked } = askedBy(flags, study?.run ?? null);
  const run = await settleRun({
    wanted: wantedRun(asked, {
      small: flags.small === true,
      seed: flags.seed ?? randomInt(2 ** 31),
      report: {
        deviation: flags.deviation ?? study?.deviation ?? 'sample',
        limit: flags.limit ?? study?.limit ?? DEFAULT_LIMIT,
        pairs: flags.pairs ?? study?.pairs ?? DEFAULT_PAIRS,
      },
    }),
    data: data === null ? join(out, 'databases') : join(resolve(data), `${basename(out)}.databases`),
    env,
  });
  if (flags.dryRun === true) {
    const asJson = flags.json === true || flags.format === 'json';
    const look = { color: streams.outColor, width: streams.width };
    streams.out(asJson ? `${JSON.stringify(run, null, 2)}\n` : planText(run, look));
    return;
  }
  if (data !== null) refuseMissingPlace(resolve(data));
  await refuseSmallDisk(run);
  if (flags.quiet !== true) streams.err(`${planText(run, { color: false, width: streams.width })}\nrun: ${out}\n`);
  await runAndShow(out, flags, context, (setting) => startBenchmark(setting, run));
}

async function resume(
  directory: string,
  file: string | undefined,
  flags: RunFlags,
  context: CommandContext,
): Promise<void> {
  const given = Object.keys(flags).filter((name) => !['resume', 'format', 'json', 'quiet'].includes(name));
  if (file !== undefined || given.length > 0) {
    const what =
      file === undefined ? `--${given[0]?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` : 'a study';
    throw usage(`${what} does not go with --resume`, 'A run keeps its settings and its plan; leave it out.');
  }
  const { resumeBenchmark } = await import('../variance-run/run.ts');
  await runAndShow(resolve(directory), flags, context, resumeBenchmark);
}

/** Runs with progress on stderr, and prints the account of what the directory holds. Ctrl-C ends the step, and says how to go on. */
async function runAndShow(
  directory: string,
  flags: RunFlags,
  context: CommandContext,
  work: (setting: BenchmarkSetting) => Promise<BenchmarkEnd>,
): Promise<void> {
  const { streams, env, exit } = context;
  const { emit, finish } = benchmarkProgress(streams, flags.quiet === true);
  const end = await stoppable(async (stop) => await work({ directory, env, emit, stop }).finally(finish));
  if (end !== null) {
    streams.err(
      `stopped by ${end}; go on with: ${quoteCommand(['assay', 'variance', 'run', '--resume', directory])}\n`,
    );
    exit(signalExitCode(end));
    return;
  }
  const { readRun } = await import('../variance-run/directory.ts');
  const { importDirectory } = await import('../variance-run/import-directory.ts');
  const { STEP_NAMES } = await import('../storage/benchmark/steps.ts');
  const run = readRun(directory);
  const rules = { steps: STEP_NAMES, metric: 'ops_sec', layout: null, workload: null, threads: null };
  const { imported } = importDirectory(directory, { ...rules, mostSteps: MOST_STEPS });
  await showVariance(imported, { ...run.report, metric: 'ops_sec' }, { title: null, source: 'here' }, flags, context);
}

/** What options and study say together; null is left to the rules. */
function askedBy(flags: RunFlags, study: StudyRun | null): StudyRun {
  return {
    setup: flags.setup ?? study?.setup ?? null,
    workloads: flags.workloads ?? study?.workloads ?? null,
    threads: flags.threads ?? study?.threads ?? null,
    repetitions: flags.repetitions ?? study?.repetitions ?? null,
    duration_s: flags.duration === undefined ? (study?.duration_s ?? null) : Math.max(1, Math.round(flags.duration)),
    db_bench: flags.dbBench ?? study?.db_bench ?? null,
    data: flags.data ?? study?.data ?? null,
    keys: { ...study?.keys, ...flags.keys },
    cache_bytes: flags.cache ?? study?.cache_bytes ?? null,
    background_jobs: flags.backgroundJobs ?? study?.background_jobs ?? null,
    flags: { ...study?.flags, ...flags.flag },
  };
}

function workloadNames(text: string): readonly WorkloadName[] {
  const names = [...new Set(text.split(','))];
  const known = WORKLOAD_NAMES.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  throw new InvalidArgumentError('Expected byrx, iobuf, or byrx,iobuf.');
}

function threadCounts(text: string): readonly number[] {
  const counts = text.split(',').map(wholeNumber(1, MOST_THREADS));
  if (counts.length <= MOST_COUNTS) return [...new Set(counts)];
  throw new InvalidArgumentError(`Expected at most ${MOST_COUNTS} numbers.`);
}

function collectKeys(text: string, before: RunFlags['keys']): RunFlags['keys'] {
  const [, name, digits] = /^(byrx|iobuf)=(\d{1,13})$/.exec(text) ?? [];
  const count = Number(digits);
  const workload = WORKLOAD_NAMES.find((one) => one === name);
  if (workload !== undefined && count >= FEWEST_KEYS) return { ...before, [workload]: count };
  throw new InvalidArgumentError(`Expected a workload and a number of at least ${FEWEST_KEYS}, such as byrx=1000000.`);
}

function collectFlags(text: string, before: RunFlags['flag']): RunFlags['flag'] {
  const [, name, value] = /^([a-z][a-z0-9_]{0,79})=([^\0]{0,1000})$/.exec(text) ?? [];
  const fault = name === undefined ? null : flagFault(name);
  if (fault !== null) throw new InvalidArgumentError(`${fault}.`);
  if (name !== undefined && value !== undefined) return { ...before, [name]: value };
  throw new InvalidArgumentError('Expected a flag of db_bench without dashes and its value, such as bloom_bits=16.');
}

function sizeValue(text: string): number {
  const bytes = parseSize(text);
  if (bytes !== null && bytes >= 1) return bytes;
  throw new InvalidArgumentError('Expected a size such as 8GiB.');
}

function setupValue(text: string): string {
  const fault = setupFault(text);
  if (fault === null) return text;
  throw new InvalidArgumentError(`The name ${fault}.`);
}
