/** The format of what `assay variance` prints with --json. schemas/variance.schema.json is made from this. */
import { z } from 'zod';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const VARIANCE_VERSION = 1;

const coefficient = z.number().min(0).nullable();
const threads = z.int().min(1);
const byStep = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);
const found = { setup: z.string(), workload: z.string(), threads, step: z.string(), cv: z.number().min(0) };
/** The upper end is null where the values set none; both null where they are of no use. */
const interval = z.object({ low: z.number(), high: z.number().nullable() }).nullable();

export const varianceSchema = z
  .object({
    version: z.literal(VARIANCE_VERSION),
    assay: z.string().describe('Version of Assay.'),
    title: z.string().nullable().describe('Of the study; null where it has none.'),
    metric: z.string(),
    deviation: z.enum(['sample', 'population']).describe('Of the coefficients in `steps`, `max_cv` and `mean_cv`.'),
    limit: z.number(),
    level: z.number().describe('Of intervals.'),
    steps: z.array(z.string()),
    workloads: z.array(z.string()),
    cells: z
      .array(
        z.object({
          setup: z.string(),
          workload: z.string(),
          threads,
          max_cv: coefficient.describe('Null unless every step has a coefficient.'),
          mean_cv: coefficient,
          steps: byStep(coefficient),
          repetitions: byStep(z.array(z.number())).describe('Values in the order in which they ran.'),
          missing: byStep(z.int().min(0)).describe('Repetitions that failed, or have no value.'),
          sample_cv: byStep(coefficient).describe('With the sample deviation, whatever was asked for.'),
          intervals: byStep(interval).describe('Of `sample_cv` (Vangel 1996).'),
          beside: byStep(z.array(z.record(z.string(), z.number()))).describe(
            'What the engine said beside each value; an empty map where it said nothing.',
          ),
        }),
      )
      .describe('One set-up with one number of threads, under one workload.'),
    good: z
      .array(z.object({ setup: z.string(), threads }))
      .describe('The published point rule: no coefficient above the limit, in any workload, and nothing missing.'),
    steps_ranked: z.array(
      z.object({ step: z.string(), mean_cv: z.number(), coefficients: z.int(), largest: z.object(found) }),
    ),
    setups_ranked: z.array(
      z.object({
        setup: z.string(),
        threads,
        max_cv: coefficient,
        mean_cv: coefficient,
        worst: z
          .object({
            ...found,
            interval,
            comparison: z
              .object({
                pair_sd: z.number().describe('Of ln(b/a) over pairs.'),
                pairs: z.int(),
                detectable: z.number().describe('The smallest change found with 80 % power; a fraction.'),
                detectable_upper: z.number().describe('With the spread at its upper 80 % bound.'),
              })
              .nullable(),
          })
          .nullable(),
      }),
    ),
    drift: z.array(
      z.object({
        step: z.string(),
        cells: z.int(),
        change: z.number(),
        interval: z.tuple([z.number(), z.number()]).nullable(),
        order: z
          .object({ cells: z.int(), rising: z.int(), falling: z.int(), by_chance: z.number() })
          .nullable()
          .describe('Of the cells with three values or more; null: there are none.'),
      }),
    ),
    spread_ratios: z.array(
      z.object({
        threads,
        setups: z.tuple([z.string(), z.string()]),
        steps: z.int(),
        ratio: z.number(),
        interval: z.tuple([z.number(), z.number()]),
        p: z.number(),
        told_apart: z.boolean(),
      }),
    ),
    warnings: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string() })),
    files: z.array(z.string()).describe('That were read.'),
    ignored: z.array(z.object({ path: z.string(), reason: z.string() })),
  })
  .describe('What `assay variance` prints with --json.');

export type VarianceDocument = z.infer<typeof varianceSchema>;

/** The JSON Schema of it, for other programs. */
export function varianceJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(varianceSchema, { target: 'draft-2020-12' });
  return { $schema, title: 'Assay variance', ...rest };
}
