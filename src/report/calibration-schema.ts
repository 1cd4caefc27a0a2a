/** The format of what `assay calibrate --json` prints, and of calibration.json. schemas/calibration.schema.json is made from this. */
import { z } from 'zod';
import { calibrationSchema } from '../journal/calibration-schema.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const CALIBRATION_VERSION = 1;

export const calibrationDocumentSchema = z
  .object({
    format: z.literal('assay-calibration'),
    version: z.literal(CALIBRATION_VERSION),
    calibration: calibrationSchema.describe('What was found.'),
    judgements: z
      .array(
        z.object({
          metric: z.string(),
          nominal: z
            .boolean()
            .describe('False: the exact lower bound of the rate at which A/A runs exclude zero lies above 1 − level.'),
        }),
      )
      .describe('Of each primary metric.'),
    warnings: z.array(
      z.object({ code: z.string(), metric: z.string().nullable(), message: z.string(), remedy: z.string() }),
    ),
    directory: z.string().describe('Of its trials: the run against itself; `known` in it is that of known cost.'),
    kept: z.string().nullable().describe('The file that later runs find it in; null: it could not be kept.'),
    earlier_known: z
      .object({
        unix_ms: z.number().describe('When it was measured.'),
        kept: z
          .boolean()
          .describe('False: it was judged by another version of Assay, number of pairs, level or rule, and is gone.'),
      })
      .nullable()
      .describe('The known cost on record before this calibration, where this one has none.'),
  })
  .describe('What `assay calibrate --json` prints.');

export type CalibrationDocument = z.infer<typeof calibrationDocumentSchema>;
