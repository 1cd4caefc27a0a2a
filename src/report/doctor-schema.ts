/** The format of what `assay doctor --json` prints. schemas/doctor.schema.json is made from this. */
import { z } from 'zod';
import { READINESS } from '../host/judgement.ts';
import { machineFactsSchema } from '../journal/settled-schema.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const DOCTOR_VERSION = 1;

const share = z.number().min(0).nullable();

export const doctorSchema = z
  .object({
    version: z.literal(DOCTOR_VERSION),
    assay: z.string().describe('Version of Assay.'),
    ready: z.boolean().describe('No check is bad; warnings do not count.'),
    checks: z
      .array(
        z.object({
          id: z.string().describe('Stays the same where the name and the words change.'),
          group: z.string(),
          name: z.string(),
          status: z.enum(READINESS),
          found: z.string(),
          remedy: z.string().nullable().describe('How to mend it; null where there is nothing to mend.'),
        }),
      )
      .describe('Each fact that could be judged, in the order in which it is shown.'),
    facts: machineFactsSchema.describe('As the first record of a journal has them.'),
    busy: z
      .array(z.object({ name: z.string(), cpu: z.number().min(0).describe('Share of one CPU.') }))
      .nullable()
      .describe('Other processes that used a tenth of a CPU or more for a second; null where they cannot be seen.'),
    probe: z
      .object({
        method: z.enum(['launcher', 'node']).describe('Timed as trials are, or in one process of Node.js.'),
        cpu: z.int().nullable().describe('That the loop was pinned to; null: none.'),
        pairs: z.int().describe('Pairs of neighbours that the spread is of.'),
        loop_ns: z.number().describe('Middle time of a loop.'),
        sd: z.number().describe('Standard deviation of ln(second / first) over the pairs.'),
        detectable: z
          .number()
          .describe(
            'The smallest effect that 16 pairs of such a loop find with 80 % power in a two-sided test at 5 %, at the upper 80 % bound of the spread: a fraction. Layout, input and output are not included.',
          ),
        pairs_for_one_percent: z.int().nullable().describe('Null: more than a million.'),
        noise: z
          .object({ steal: share, other_cpu: share, frequency_hz: share })
          .describe('While the probe ran, of its CPU where it was pinned.'),
      })
      .nullable()
      .describe('Null where it was not asked for, or has no result.'),
  })
  .describe('What `assay doctor --json` prints.');

export type DoctorDocument = z.infer<typeof doctorSchema>;
