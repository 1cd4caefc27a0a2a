/** The format of what `assay engines --json` prints, and of engines.json. schemas/engines.schema.json is made from this. */
import { z } from 'zod';
import { ASPECTS, FIGURES } from '../storage/engines/figures.ts';
import { leftOutSchema } from '../storage/engines/settled.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const ENGINES_VERSION = 1;

const interval = z.tuple([z.number(), z.number()]).nullable();
const fact = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const figureKey = z.string().describe(`One of: ${FIGURES.map(({ key }) => key).join(', ')}.`);

const figure = z.object({
  figure: figureKey,
  title: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  aspect: z.enum(ASPECTS),
  main: z.boolean().describe('Whether ranks, strengths and weaknesses are told by it.'),
  engines: z
    .array(
      z.object({
        engine: z.string(),
        mean: z
          .number()
          .nullable()
          .describe('Geometric over blocks; arithmetic where a value is zero; null: there is none.'),
        interval: interval.describe('Of the mean, by t; null for fewer than two values.'),
        rank: z
          .object({ best: z.number(), worst: z.number() })
          .nullable()
          .describe('From 1; a range where intervals overlap.'),
        durable: z.boolean().describe('Of a write: whether the driver says that each commit is synced.'),
        values: z.array(z.number().nullable()).describe('In the order of the blocks.'),
      }),
    )
    .describe('In the order of the study.'),
  comparisons: z
    .array(
      z.object({
        engine: z.string(),
        other: z.string(),
        ratio: z.number().nullable().describe('Geometric mean over blocks of engine / other; null with a reason.'),
        interval: interval.describe('At the level of its step in Holm’s procedure.'),
        p: z.number().nullable(),
        adjusted_p: z.number().nullable().describe('By Holm, over all pairs of engines of the figure.'),
        told_apart: z.boolean(),
        blocks: z.number(),
        reason: z.string().nullable(),
      }),
    )
    .describe('Every two engines, paired by block.'),
  orders: z
    .object({
      apart: z.number().describe('Pairs of engines whose intervals do not overlap.'),
      conflicts: z
        .array(z.tuple([z.string(), z.string()]))
        .describe('Those that change places with the order in which they ran.'),
      untested: z.number().describe('Those that never ran in both orders, or were equal in one.'),
    })
    .describe('Whether it mattered who ran first.'),
});

export const enginesDocumentSchema = z
  .object({
    format: z.literal('assay-engines'),
    version: z.literal(ENGINES_VERSION),
    assay: z.string(),
    title: z.string(),
    small: z.boolean(),
    seed: z.number(),
    level: z.number(),
    engines: z.array(z.string()),
    sizes: z.array(
      z.object({
        name: z.string(),
        keys: z.number(),
        value_bytes: z.number(),
        cache_bytes: z.number(),
        memory_limit_bytes: z.number().nullable(),
        load: z.enum(['random', 'sequence']),
        points: z.number(),
        ranges: z.number(),
        range_length: z.number(),
        overwrites: z.number(),
        blocks: z.number().describe('Complete blocks of one trial of each engine.'),
        facts: z.record(z.string(), z.record(z.string(), fact)).describe('By engine: what its driver declares.'),
        figures: z.array(figure).describe('Those that at least one engine has.'),
      }),
    ),
    standings: z
      .array(
        z.object({
          engine: z.string(),
          size: z.string(),
          aspect: z.enum(ASPECTS),
          better: z.array(
            z.object({ figure: figureKey, than: z.array(z.object({ engine: z.string(), times: z.number() })) }),
          ),
          worse: z.array(
            z.object({ figure: figureKey, than: z.array(z.object({ engine: z.string(), times: z.number() })) }),
          ),
        }),
      )
      .describe('In what each engine is told apart from others.'),
    caveats: z
      .array(z.looseObject({ code: z.string(), engines: z.array(z.string()) }))
      .describe('What numbers must be read with.'),
    left_out: z.array(leftOutSchema).describe('What the study asked for and does without.'),
  })
  .describe('What `assay engines --json` prints.');

export type EnginesDocument = z.infer<typeof enginesDocumentSchema>;
