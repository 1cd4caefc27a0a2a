/** The format of what `assay engines --json` prints, and of engines.json. schemas/engines.schema.json is made from this. */
import { z } from 'zod';
import { ASPECTS, FIGURES } from '../storage/engines/figures.ts';
import { leftOutSchema } from '../storage/engines/settled.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const ENGINES_VERSION = 1;

const interval = z.tuple([z.number(), z.number()]).nullable();
const fact = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const scale = z.enum(['ratio', 'difference']);
const figureKey = z.string().describe(`One of: ${FIGURES.map(({ key }) => key).join(', ')}.`);

const orderEffect = {
  engine: z.string(),
  other: z.string(),
  effect: z
    .number()
    .describe(
      'How much more the later of the two had than the earlier: a fraction where the scale is ratios, else in the unit.',
    ),
  interval: z.tuple([z.number(), z.number()]).describe('At the level of its step in Holm’s procedure.'),
  interval_level: z.number(),
  p: z.number(),
  adjusted_p: z.number().describe('By Holm, over all pairs of engines of the figure.'),
  not_null: z.boolean(),
  exceeds_difference: z.boolean().describe('Larger than what the two engines differ by.'),
};

const stance = z.object({
  figure: figureKey,
  than: z.array(
    z.object({
      engine: z.string(),
      times: z.number().nullable().describe('Above 1; null where the figure is taken by differences.'),
      by: z.number().nullable().describe('Else the difference in the unit of the figure.'),
      interval: z
        .tuple([z.number(), z.number()])
        .nullable()
        .describe('Of either, at the level of its step in Holm’s procedure; null where both engines are exact.'),
    }),
  ),
});

const ordersOfSize = z
  .object({
    families: z.number().describe('Figures with order effects: Holm’s adjustment is within each.'),
    tested: z.number(),
    not_null: z.number(),
    largest: z
      .object({ figure: figureKey, scale, ...orderEffect })
      .nullable()
      .describe('Of those that are not null, else of the main figures; of figures by ratios.'),
    conflicts: z
      .array(z.object({ figure: figureKey, scale, ...orderEffect }))
      .describe('Not null, and larger than what the two engines differ by.'),
    told_apart: z.number(),
    one_order: z.number(),
    keep: z.number().describe('Told apart, and the same one ahead whichever of the two ran first.'),
    changed: z.number(),
    could_change: z.number(),
  })
  .describe('Over all figures.');

const figure = z.object({
  figure: figureKey,
  title: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  aspect: z.enum(ASPECTS),
  main: z.boolean().describe('Whether ranks, strengths and weaknesses are told by it.'),
  accounted: z
    .boolean()
    .describe(
      'Made of what is counted at a device, or accounted to a process: engines with the one and the other are not compared.',
    ),
  scale: scale.describe(
    'ratio: means are geometric, engines compared by ratios; difference, where a value of any engine is zero: arithmetic, by differences.',
  ),
  engines: z
    .array(
      z.object({
        engine: z.string(),
        mean: z.number().nullable().describe('Over blocks; null: there is none.'),
        interval: interval.describe(
          'Of the mean, by t; null for fewer than two values, and where they are all the same.',
        ),
        exact: z.boolean().describe('Two values or more, all of them the same.'),
        rank: z
          .object({ best: z.number(), worst: z.number() })
          .nullable()
          .describe(
            'From 1: one more than how many are told apart as better, and how many are not told apart as worse.',
          ),
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
        ratio: z
          .number()
          .nullable()
          .describe(
            'Geometric mean over blocks of engine / other; null with a reason, or where the scale is differences.',
          ),
        difference: z
          .number()
          .nullable()
          .describe('Mean over blocks of engine - other; null with a reason, or where the scale is ratios.'),
        exact: z
          .boolean()
          .describe(
            'Both are the same in all blocks: told apart where they differ by more than a step of what is counted.',
          ),
        interval: interval.describe('At the level of its step in Holm’s procedure.'),
        interval_level: z.number().nullable(),
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
      effects: z.array(z.object(orderEffect)).describe('Of pairs of engines with two blocks or more in either order.'),
      told_apart: z.number().describe('Pairs of engines that are told apart.'),
      one_order: z.number().describe('Those of them that never ran in both orders.'),
      changed: z
        .array(z.tuple([z.string(), z.string()]))
        .describe('Those of them that have the other order where the one ran first than where the other did.'),
      could_change: z.number().describe('Those of them that have blocks enough to be told apart and change places.'),
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
        limitations: z
          .array(z.object({ message: z.string(), remedy: z.string() }))
          .describe('What its run could not do.'),
        figures: z.array(figure).describe('Those that at least one engine has.'),
        orders: ordersOfSize,
      }),
    ),
    standings: z
      .array(
        z.object({
          engine: z.string(),
          size: z.string(),
          aspect: z.enum(ASPECTS),
          better: z.array(stance),
          worse: z.array(stance),
        }),
      )
      .describe('In what each engine is told apart from others.'),
    families: z
      .number()
      .describe('Figures of sizes by which engines are tested for standings: Holm’s adjustment is within each.'),
    caveats: z
      .array(z.looseObject({ code: z.string(), engines: z.array(z.string()) }))
      .describe('What numbers must be read with.'),
    left_out: z.array(leftOutSchema).describe('What the study asked for and does without.'),
  })
  .describe('What `assay engines --json` prints.');

export type EnginesDocument = z.infer<typeof enginesDocumentSchema>;
