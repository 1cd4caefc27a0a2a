/** The experiment file as people write it. Rules that look at two places at once stand in the `*-rules.ts` files. */
import { z } from 'zod';
import { COUNTER_MODES } from './counters.ts';
import { ORDERS } from './experiment.ts';
import { PERCENT_PATTERN } from './quantities.ts';
import { arm } from './schema-arms.ts';
import { calibration } from './schema-calibration.ts';
import { counting } from './schema-counting.ts';
import {
  ARM_NAME_PATTERN,
  command,
  count,
  deviceSize,
  duration,
  env,
  flag,
  fraction,
  params,
  prose,
  size,
  text,
  VARIABLE_PATTERN,
} from './schema-leaves.ts';
import { machine, reject } from './schema-machine.ts';
import { check, metric } from './schema-metrics.ts';
import { comparisons, confirmationArms, controls } from './schema-sides.ts';
import { sessions, slices } from './schema-slices.ts';

const driverName = z.literal('rocksdb', { error: '`rocksdb`, the one driver that there is' });

const workload = z
  .strictObject(
    {
      driver: z
        .union(
          [
            driverName,
            z.strictObject({
              name: driverName.describe('Which driver.'),
              compiler: text('a C++ compiler').min(1).optional().describe('Default: c++, g++ or clang++.'),
              standard: text('a language standard such as `c++20`', /^(?:c|gnu)\+\+[0-9a-z]{2}$/)
                .optional()
                .describe('Default: the lowest that the headers of all arms compile with.'),
              flags: z.array(text('a flag of the compiler')).optional().describe('Default: -O3 -DNDEBUG.'),
            }),
          ],
          { error: '`rocksdb`, or a map `{name: rocksdb, compiler: …, standard: …, flags: […]}`' },
        )
        .optional()
        .describe(
          'A driver of Assay, compiled once for each arm against its artifacts, prefix or pkg-config; {arm.driver} is the program.',
        ),
      command: command
        .optional()
        .describe(
          'What a trial runs in every arm, as a list of words. {arm.dir}, {arm.name}, {trial.dir}, {experiment.dir} and {params.NAME} are replaced; {{ and }} stand for braces. Without it, each arm has its own command.',
        ),
      shell: flag().optional().describe('Commands are one text each, for /bin/sh -c.').meta({ default: false }),
      cwd: text('a directory')
        .min(1, { error: 'a directory' })
        .optional()
        .describe('The directory in which a trial starts, with placeholders.')
        .meta({ default: '{trial.dir}' }),
      env: env
        .optional()
        .describe(
          'Environment variables, values with placeholders. A trial otherwise has LC_ALL=C, TZ=UTC, PATH, and empty directories as HOME and TMPDIR.',
        ),
      pass_env: z
        .array(text('a name of a variable', VARIABLE_PATTERN), { error: 'a list of names of variables' })
        .max(1000, { error: 'at most 1000 names' })
        .optional()
        .describe(
          'Names of environment variables that trials take over from Assay. Their values are not in the journal.',
        ),
      stdin: text('a path of a file')
        .min(1, { error: 'a path of a file' })
        .optional()
        .describe('A file that is the standard input of every trial, relative to the experiment; else it is empty.'),
      timeout: duration
        .optional()
        .describe('A trial that takes longer fails: 10m, 30s, 500ms, or a number of seconds.')
        .meta({ default: '10m' }),
      params: params.optional().describe('Values for {params.NAME}, for all arms.'),
      max_output: size
        .optional()
        .describe('A trial that writes more to stdout or to stderr fails: 16 MiB, 500 kB, or a number of bytes.')
        .meta({ default: '16 MiB' }),
      drop_caches: flag()
        .optional()
        .describe('Drop the page cache before each trial (needs root).')
        .meta({ default: false }),
      memory_limit: size
        .optional()
        .describe(
          'Memory that a trial may use, the pages of its files included: a memory group of its own for each trial; {trial.cgroup} is its directory. Needs root, or a group that this user may divide. Left out: no limit.',
        ),
      device: z
        .strictObject(
          { size: deviceSize.describe('Of the device, and so of all that a trial may write at a time.') },
          { error: 'a map, `{size: 4GB}`' },
        )
        .optional()
        .describe(
          'A loop device with its own ext4 file system for the directory of each trial, so that its reads and writes are counted exactly; {trial.device_stat} is the file of its counters. Needs root.',
        ),
    },
    { error: 'a map that says what a trial runs' },
  )
  .describe('What a trial runs, and under which conditions.');

const pairs = count(0, 10_000);

const design = z
  .strictObject(
    {
      screening: z
        .strictObject(
          {
            pairs: pairs.optional().describe('Pairs of the screening; an even number for two arms.'),
            sessions: sessions(0).describe('With slices: sessions of the screening, an even number.'),
          },
          { error: 'a map, `{pairs: 4}`' },
        )
        .optional()
        .describe('A first look at spread and cost. Never pooled with the confirmation. Left out: none.'),
      confirmation: z
        .strictObject(
          {
            pairs: pairs
              .min(1, { error: 'a whole number from 1 to 10000' })
              .optional()
              .describe('Pairs that the verdict rests on; an even number for two arms.')
              .meta({ default: 16 }),
            sessions: sessions(1)
              .describe('With slices: sessions that the verdict rests on, an even number.')
              .meta({ default: 16 }),
            arms: confirmationArms,
          },
          { error: 'a map, `{pairs: 16}`' },
        )
        .optional()
        .describe('The pairs that the verdict rests on.')
        .meta({ default: { pairs: 16 } }),
      sequential: z
        .strictObject(
          {
            min: pairs
              .min(2, { error: 'a whole number from 2 to 10000' })
              .describe('Pairs before the first look; an even number.'),
            max: pairs
              .min(2, { error: 'a whole number from 2 to 10000' })
              .describe('Pairs at which the run ends whatever it shows; an even number.'),
          },
          { error: 'a map, `{min: 8, max: 64}`' },
        )
        .optional()
        .describe(
          'Instead of a fixed number of pairs: the run ends as soon as the verdict of every primary metric is decided. Intervals hold at every look, and are wider for that.',
        ),
      builds: count(1, 20)
        .optional()
        .describe(
          'Builds of each arm that pairs go through in turn, each but the first linked in another order where Assay links it.',
        )
        .meta({ default: 1 }),
      warmup: count(0, 1000)
        .optional()
        .describe(
          'Blocks of trials that come first and are run and checked, but not measured. With slices at least 1, the default there.',
        )
        .meta({ default: 0 }),
      slices: slices.optional(),
      order: z
        .enum(ORDERS, { error: '`balanced` or `mirrored`' })
        .optional()
        .describe(
          'balanced: each arm is first equally often, drawn from the seed. mirrored, of three arms or more: blocks in twos, an order that is drawn and its reverse, where Williams squares would need too many blocks.',
        )
        .meta({ default: 'balanced' }),
      seed: count(0, 2 ** 31 - 1)
        .optional()
        .describe('What the order is drawn from. Left out: drawn when the run starts, and recorded.'),
      max_gap: duration
        .optional()
        .describe(
          'Halves of a pair that lie further apart are repeated. Left out: 60 s or three trial lengths, the longer.',
        ),
    },
    { error: 'a map that says how many pairs run, and in which order' },
  )
  .describe('How many pairs run, and in which order.');

const decision = z
  .strictObject(
    {
      level: z
        .union([z.number({ error: 'a number' }), text('a level such as `0.95` or `95%`', PERCENT_PATTERN)], {
          error: 'a level such as `0.95` or `95%`',
        })
        .optional()
        .describe('The confidence level of intervals, between 0.5 and 1.')
        .meta({ default: 0.95 }),
      threshold: fraction
        .optional()
        .describe('A change within this is neither slower nor faster: 1%, or 0.01.')
        .meta({ default: 0 }),
      margin: fraction
        .optional()
        .describe('A change that is surely within this is equivalent: 2%, or 0.02. Left out: no test of equivalence.'),
    },
    { error: 'a map with `level`, `threshold` or `margin`' },
  )
  .describe('When a change counts.');

const attribution = z
  .union(
    [
      flag(),
      z.strictObject(
        {
          functions: z
            .array(text('a name of a function, with `*` for anything').min(1).max(500), {
              error: 'a list of names of functions',
            })
            .max(100, { error: 'at most 100 names' })
            .optional()
            .describe(
              'Functions whose disassemblies are kept side by side, such as rocksdb::WriteBatch::Put; `*` is anything. Left out: up to 20 of those that differ.',
            ),
        },
        { error: 'a map, `{functions: [NAME]}`' },
      ),
    ],
    { error: '`true`, `false`, or a map `{functions: [NAME]}`' },
  )
  .describe(
    'Which functions of the arms’ programs differ in their machine code (needs objdump). Left out: told where the workload has a driver.',
  );

export const experimentSchema = z
  .strictObject(
    {
      title: prose('a title of at most 200 characters', 200).describe('What is compared, in a few words.'),
      question: prose('a question of at most 2000 characters', 2000)
        .optional()
        .describe('What the experiment is to find out.'),
      constructed: flag()
        .optional()
        .describe('true where the workload is made for the purpose of showing an effect; reports say so.')
        .meta({ default: false }),
      arms: z
        .record(text('a name of an arm: letters, digits, `.`, `_` and `-`, at most 64', ARM_NAME_PATTERN), arm, {
          error: 'a map of at least two arms, `{before: {…}, after: {…}}`',
        })
        .describe(
          'What is compared: two or more, by name. The first is the reference unless `reference` names another.',
        )
        .meta({ minProperties: 2, maxProperties: 26 }),
      reference: text('the name of an arm')
        .optional()
        .describe('The arm that the others are compared with. Left out: the first.'),
      workload: workload.optional(),
      metrics: z
        .array(metric, { error: 'a list of metrics' })
        .min(1, { error: 'at least one metric' })
        .max(100, { error: 'at most 100 metrics' })
        .optional()
        .describe(
          'What is measured. Left out: wall (primary), cpu and max_rss; with slices those of an operation (slice, slice.cpu), slice.stalls and max_rss.',
        ),
      checks: z
        .array(check, { error: 'a list of checks' })
        .max(100, { error: 'at most 100 checks' })
        .optional()
        .describe('What must hold in every trial, else the run is invalid. The exit code is always checked.'),
      design: design.optional(),
      controls: controls.optional(),
      comparisons: comparisons.optional(),
      counters: z
        .enum(COUNTER_MODES, { error: '`hardware`, `software` or `off`' })
        .optional()
        .describe(
          'What is counted in every trial: events of the processor (hardware), or of the kernel (software). Left out: hardware where the workload has a driver and there are no slices, else off.',
        ),
      machine: machine.optional(),
      reject: reject.optional(),
      decision: decision.optional(),
      counting: counting.optional(),
      attribution: attribution.optional(),
      calibration: calibration.optional(),
      trial_dir: text('a path of a directory')
        .min(1, { error: 'a path of a directory' })
        .optional()
        .describe('Where the directories of trials are made, on the disk to be measured. Left out: beside the run.'),
    },
    { error: 'an experiment: a map with `title`, `arms`, …' },
  )
  .describe('What Assay compares, how, and when a change counts.');

export type ExperimentDocument = z.infer<typeof experimentSchema>;

/** The JSON Schema (draft 2020-12) of experiment files, for editors and other programs. */
export function experimentJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(experimentSchema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, title: 'Assay experiment', ...rest };
}
