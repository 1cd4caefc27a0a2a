/** The file of a study of engines as people write it. */
import { z } from 'zod';
import { ORDERS } from '../../experiment/experiment.ts';
import {
  ARM_NAME_PATTERN,
  count,
  deviceSize,
  duration,
  flag,
  oneOf,
  prose,
  size,
  text,
} from '../../experiment/schema-leaves.ts';

const MOST_KEYS = 1e10;

const engine = z
  .strictObject(
    {
      engine: text('the name of an engine such as `rocksdb`', /^[a-z0-9]{1,32}$/)
        .optional()
        .describe('An engine that Assay has a driver for: a file of drivers/engines, by its name.'),
      program: text('a path of a program')
        .min(1, { error: 'a path of a program' })
        .optional()
        .describe('Instead of an engine: a program that takes the same words and answers as the drivers do.'),
      prefix: text('a path of a directory')
        .min(1, { error: 'a path of a directory' })
        .optional()
        .describe(
          'Where the library of the engine is installed (include/ and lib/). Left out: where the compiler looks.',
        ),
      variant: text('a name such as `leveled`', /^[a-z0-9-]{1,32}$/)
        .optional()
        .describe('Of the engine, such as leveled or universal. Left out: its first.'),
      log: flag().optional().describe('Whether writes are logged ahead. Left out: as in the study.'),
      required: flag()
        .optional()
        .describe('true: without its library there is no study. Otherwise it is left out, and that is said.')
        .meta({ default: false }),
    },
    { error: 'a map, `{engine: rocksdb}`' },
  )
  .meta(oneOf('engine', 'program'));

const studySize = z.strictObject(
  {
    keys: count(1, MOST_KEYS).describe('Records of the load, with keys of 16 bytes.'),
    value_bytes: count(8, 2 ** 20)
      .optional()
      .describe('Of each value.')
      .meta({ default: 100 }),
    cache: size.describe('Of the engine’s own cache, where it has one.'),
    memory_limit: size
      .optional()
      .describe(
        'Of all that a trial uses, pages of its files included, which makes the size IO-bound. Left out: none.',
      ),
    load: z
      .enum(['random', 'sequence'], { error: '`random` or `sequence`' })
      .optional()
      .describe('The order in which records are loaded.')
      .meta({ default: 'random' }),
    points: count(1, MOST_KEYS).describe('Reads of single records.'),
    ranges: count(1, MOST_KEYS).describe('Reads of adjacent records.'),
    range_length: count(1, 100_000).optional().describe('Records of a range read.').meta({ default: 10 }),
    overwrites: count(1, MOST_KEYS).describe('Records that get new values.'),
  },
  { error: 'a map, `{keys: 1000000, cache: 512MB, points: 100000, ranges: 10000, overwrites: 100000}`' },
);

const name = text('a name: letters, digits, `.`, `_` and `-`, at most 64', ARM_NAME_PATTERN);

export const studySchema = z
  .strictObject(
    {
      title: prose('a title of at most 200 characters', 200).describe('What is compared, in a few words.'),
      question: prose('a question of at most 2000 characters', 2000)
        .optional()
        .describe('What the study is to find out.'),
      engines: z
        .record(name, engine, { error: 'a map of engines, `{lmdb: {engine: lmdb}}`' })
        .describe('What is compared, by name.')
        .meta({ minProperties: 2, maxProperties: 26 }),
      sizes: z
        .record(name, studySize, { error: 'a map of sizes, `{cached: {…}, io_bound: {…}}`' })
        .describe('How much is loaded, read and overwritten: a run each.')
        .meta({ minProperties: 1, maxProperties: 20 }),
      repetitions: count(2, 10_000)
        .optional()
        .describe('Blocks of one trial of every engine; rounded up to whole designs.')
        .meta({ default: 4 }),
      order: z
        .enum(ORDERS, { error: '`mirrored` or `balanced`' })
        .optional()
        .describe('mirrored: blocks in twos, an order that is drawn and its reverse. balanced: Williams squares.')
        .meta({ default: 'mirrored' }),
      device: z
        .union(
          [
            z.literal(false),
            z.strictObject({ size: deviceSize.describe('Of the device.') }, { error: 'a map, `{size: 4GB}`' }),
          ],
          { error: 'a map, `{size: 4GB}`, or `false`' },
        )
        .optional()
        .describe(
          'A loop device of its own for each trial, whose counters say what was written and read; where there can be none, and with false, they are those of the process.',
        )
        .meta({ default: { size: '4 GiB' } }),
      log: flag()
        .optional()
        .describe('Whether writes are logged ahead, where the engine leaves the choice.')
        .meta({ default: false }),
      seed: count(0, 2 ** 31 - 1)
        .optional()
        .describe('What keys, values and orders are drawn from. Left out: drawn when the study starts, and recorded.'),
      timeout: duration.optional().describe('A trial that takes longer fails.').meta({ default: '30m' }),
      level: z
        .number({ error: 'a level such as `0.95`' })
        .gt(0.5, { error: 'a level above 0.5' })
        .lt(1, { error: 'a level below 1' })
        .optional()
        .describe('The confidence level of intervals.')
        .meta({ default: 0.95 }),
    },
    { error: 'a study: a map with `title`, `engines`, `sizes`, …' },
  )
  .describe('Which engines are compared side by side, on how much data.');

export type StudyDocument = z.infer<typeof studySchema>;

/** The JSON Schema (draft 2020-12) of study files, for editors and other programs. */
export function studyJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(studySchema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, title: 'Assay study of engines', ...rest };
}
