/** The form of a study file: set-ups with the results that were measured on them, or what `assay variance run` is to measure. */
import { z } from 'zod';
import { parseDuration, parseFraction, parseSize } from '../experiment/quantities.ts';
import { count, duration, flag, prose, sentence, size, text } from '../experiment/schema-leaves.ts';
import { TOOLS, type ToolName } from '../formats/tools.ts';
import {
  FEWEST_KEYS,
  flagFault,
  MOST_THREADS as MOST_CLIENTS,
  setupFault,
  WORKLOAD_NAMES,
} from './benchmark/wanted.ts';

const TOOL_NAMES = Object.keys(TOOLS) as [ToolName, ...ToolName[]];
const MOST_THREADS = 999_999;
const MOST_FILES = 1000;
const FLAG_NAME = /^[a-z][a-z0-9_]{0,79}$/;

const path = text('a path of a file or directory').min(1, { error: 'a path of a file or directory' });
const name = (what: string) => prose(what, 200);

const results = z.strictObject(
  {
    files: z
      .union(
        [path, z.array(path, { error: 'a list of paths' }).min(1, { error: 'at least one path' }).max(MOST_FILES)],
        {
          error: 'a path of a file or directory, or a list of such paths',
        },
      )
      .describe(
        'Files with results, and directories, of which all files count that are such results. Relative to the study file. Several files of one place are repetitions, in this order.',
      ),
    tool: z
      .enum(TOOL_NAMES, {
        error: `a tool whose output can be read: ${TOOL_NAMES.map((one) => `\`${one}\``).join(', ')}`,
      })
      .describe('What wrote them.'),
    threads: count(1, MOST_THREADS)
      .optional()
      .describe(
        'Client threads of all of them. Left out: as `ntN` or `dopN` in the path says, else as the results say.',
      ),
    workload: name('a name of a workload')
      .optional()
      .describe('Left out: with benchmark_sh as the path says, else `default`.'),
  },
  { error: 'results: a map `{files: PATH, tool: NAME}`' },
);

const stepNames = z.union(
  [name('a name that the tool uses'), z.array(name('a name that the tool uses')).min(1).max(100)],
  {
    error: 'a name that the tool uses, or a list of such names',
  },
);

const wantedRun = z.strictObject(
  {
    setup: sentence(text('a name of the set-up'), (value) => {
      const fault = setupFault(value);
      return fault === null ? null : `the name of the set-up ${fault}`;
    })
      .optional()
      .describe('What this machine with its settings is called. Left out: its CPUs, memory and hyperthreading.'),
    workloads: z
      .array(z.enum(WORKLOAD_NAMES, { error: '`byrx` or `iobuf`' }), { error: 'a list of `byrx` and `iobuf`' })
      .min(1, { error: 'at least one workload' })
      .optional()
      .describe('`byrx` is cached by the engine, `iobuf` larger than memory. Left out: both.'),
    threads: z
      .array(count(1, MOST_CLIENTS), { error: 'a list of numbers of client threads' })
      .min(1, { error: 'at least one number' })
      .max(20, { error: 'at most 20 numbers' })
      .optional()
      .describe('Client threads, each of which is a set-up of its own. Left out: 1 and the number of cores.'),
    repetitions: count(2, 100).optional().describe('Of everything. Left out: 3.'),
    duration: duration.optional().describe('Of each step but the load. Left out: 30m.'),
    db_bench: text('a path of db_bench, or its name on PATH')
      .min(1, { error: 'a path of db_bench' })
      .optional()
      .describe('A path is relative to the study file. Left out: db_bench on PATH.'),
    data: path.optional().describe('A directory on the disk to be measured. Left out: the directory of the run.'),
    keys: z
      .strictObject({
        byrx: count(FEWEST_KEYS, 1e12)
          .optional()
          .describe('Left out: seven tenths of the block cache, 40 million at the most.'),
        iobuf: count(FEWEST_KEYS, 1e12).optional().describe('Left out: twelve times memory.'),
      })
      .optional()
      .describe('Pairs of 420 bytes in the database of a workload.'),
    cache: size.optional().describe('The block cache. Left out: most of memory, as docs/studies.md says.'),
    background_jobs: count(1, 1024).optional().describe('Left out: one a core, from 2 to 8.'),
    flags: z
      .record(
        sentence(text('a flag of db_bench without dashes', FLAG_NAME), (value) =>
          flagFault(value) === null ? null : 'a flag that the steps do not set themselves',
        ),
        z.union([text('text, a number, true or false'), z.number(), flag()], {
          error: 'text, a number, true or false',
        }),
        { error: 'a map of flags of db_bench, `{name: value}`' },
      )
      .optional()
      .describe('Other flags of db_bench, or other values for those that are derived.'),
  },
  { error: 'a map of what is to be measured here' },
);

export const varianceStudySchema = z
  .strictObject(
    {
      title: name('a title of at most 200 characters').describe('What the study is about, in a few words.'),
      metric: text('a name of a metric', /^[A-Za-z0-9][A-Za-z0-9_.%-]{0,63}$/)
        .optional()
        .describe('Whose variance is meant, by the name that the tool’s reader gives it. Left out: ops_per_second.'),
      steps: z
        .union(
          [
            z.array(name('a name of a step')).min(1).max(100),
            z.record(name('a name of a step'), stepNames).refine((map) => Object.keys(map).length > 0),
          ],
          { error: 'a list of steps, or a map from each to its names in the results' },
        )
        .optional()
        .describe(
          'The steps that count, in this order; as a map, each with what tools call it. Left out: all that there are.',
        ),
      deviation: z
        .enum(['sample', 'population'], { error: '`sample` or `population`' })
        .optional()
        .describe('What the sum of squares is divided by: n − 1, or n. Left out: sample.'),
      limit: z
        .union(
          [z.number().positive({ error: 'a fraction above 0, such as 0.03' }), text('', /^\d{1,6}(\.\d{1,12})? ?%$/)],
          {
            error: 'a fraction such as 0.03, or `3%`',
          },
        )
        .optional()
        .describe('The largest coefficient of a good set-up. Left out: 0.03.'),
      pairs: sentence(count(2, 10_000), (value) =>
        value % 2 === 0 ? null : 'half of the pairs run in the other order: their number is even',
      )
        .optional()
        .describe('Of a comparison whose smallest change is told. Left out: 16.'),
      setups: z
        .record(
          name('a name of a set-up'),
          z.union([results, z.array(results).min(1).max(100)], {
            error: 'results, `{files: PATH, tool: NAME}`, or a list of them',
          }),
          { error: 'a map of set-ups, `{name: {files: PATH, tool: NAME}}`' },
        )
        .optional()
        .describe('A machine with its settings, and what was measured on it.'),
      run: wantedRun.optional().describe('What `assay variance run` measures on this machine.'),
    },
    { error: 'a study: a map with `title`, and `setups` or `run`' },
  )
  .describe('How well set-ups repeat: what was measured on them, or what is to be measured.');

export type StudyDocument = z.infer<typeof varianceStudySchema>;

/** The JSON Schema (draft 2020-12) of study files, for editors and other programs. */
export function varianceStudyJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(varianceStudySchema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, title: 'Assay study of variance', ...rest };
}

/** The quantities of a document that the schema has taken. */
export const written = {
  seconds: (value: string | number): number => Math.max(1, Math.round((parseDuration(value) ?? 1000) / 1000)),
  bytes: (value: string | number): number => parseSize(value) ?? 1,
  fraction: (value: string | number): number => parseFraction(value) ?? 0,
};
