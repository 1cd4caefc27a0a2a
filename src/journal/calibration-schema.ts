/** The shape of a calibration on record: what a user's directory holds may be anything. */
import { z } from 'zod';
import type { Calibration, MetricCalibration, Rate } from './calibration.ts';
import { count, schemaOf, unixMs } from './settled-schema.ts';

/** More than an experiment has, with what is counted. */
const MOST_METRICS = 200;

/** A title of 200 characters may hold long placeholders. */
const title = z.string().max(1 << 16);
const name = z.string().min(1).max(200);
const probability = z.number().min(0).max(1);
const spread = z.number().min(0);
/** Of logarithms of ratios: what doubles can have between them, so that its exponential is a number. */
const MOST_LOG_SD = 700;
const change = z.number().describe('A fraction for ratio metrics, else in the unit of the metric.');

const rate = schemaOf<Rate>()(
  z
    .object({ count, of: count, interval: z.tuple([probability, probability]) })
    .refine(({ count: seen, of }) => seen <= of, { error: 'more than there were' })
    .describe('How often, of how many, with the exact 95 % interval of the rate (Clopper & Pearson 1934).'),
);

const metric = schemaOf<MetricCalibration>()(
  z
    .object({
      metric: name,
      kind: z.enum(['ratio', 'difference']),
      unit: z.string().max(64),
      primary: z.boolean(),
      sd: spread
        .nullable()
        .describe('Of the effect of a pair or session, pooled within the A/A runs: of ln(arm/reference) for ratios.'),
      df: count.describe('Degrees of freedom of `sd`.'),
      excluded_zero: rate.describe('A/A runs whose interval excludes zero, which 1 − level should.'),
      false_verdicts: rate.describe('A/A runs that found a direction, by threshold and margin of the experiment.'),
      half_width: spread.nullable().describe('Half the width of the interval of an A/A run: the median.'),
      known: z
        .object({
          arm: name,
          unix_ms: unixMs
            .nullable()
            .default(null)
            .describe('When it ended; an earlier calibration may have measured it. Null: not on record.'),
          cost: change.nullable().describe('What the arm is said to change; null: nothing was said.'),
          change: change.describe('Mean of the effects of the runs.'),
          sd: spread.nullable().describe('Of the effect of a pair or session with this arm, pooled within the runs.'),
          found: rate.describe('Runs with a verdict in the right direction; without a known cost, in any.'),
          covered: rate.nullable().describe('Runs whose interval holds the known cost.'),
          predicted: probability.nullable().describe('Chance to find it, by the spread of the A/A runs.'),
        })
        .nullable(),
    })
    .refine(({ kind, sd, known }) => kind !== 'ratio' || Math.max(sd ?? 0, known?.sd ?? 0) <= MOST_LOG_SD, {
      error: 'more than ratios of numbers spread',
    }),
);

export const calibrationSchema = schemaOf<Calibration>()(
  z.object({
    assay: name,
    unix_ms: unixMs.describe('When it ended.'),
    machine_id: name,
    workload_id: name.describe('SHA-256 of workload, metrics, slices and settings of the machine.'),
    title,
    runs: count.min(1).describe('A/A runs.'),
    pairs: count.min(1).describe('Pairs or sessions of each; of a sequential experiment, the most.'),
    sessions: z.boolean(),
    sequential: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether the runs were judged by a confidence sequence. Null: not on record.'),
    level: z.number().gt(0).lt(1),
    pair_seconds: spread.describe('From the start of one pair to that of the next: the median.'),
    metrics: z.array(metric).max(MOST_METRICS),
  }),
);
