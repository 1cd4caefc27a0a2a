/** What a run of the benchmark rests on, as `run.json` in its directory has it: settings, machine, program, and every flag with its reason. */
import { z } from 'zod';
import { machineFactsSchema } from '../../journal/settled-schema.ts';
import { WORKLOAD_NAMES } from './wanted.ts';

export const RUN_FORMAT = 'assay-variance-run';
/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const RUN_VERSION = 1;

const flagSchema = z.object({ name: z.string(), value: z.string(), because: z.string() });

export const runRecordSchema = z.object({
  format: z.literal(RUN_FORMAT),
  version: z.literal(RUN_VERSION),
  assay: z.string(),
  setup: z.string(),
  small: z.boolean(),
  db_bench: z.object({ path: z.string(), sha256: z.string() }),
  /** Absolute: where databases are made, one at a time. */
  data: z.string(),
  workloads: z
    .array(z.object({ name: z.enum(WORKLOAD_NAMES), keys: z.int().min(1), flags: z.array(flagSchema) }))
    .min(1),
  threads: z.array(z.int().min(1)).min(1),
  repetitions: z.int().min(1),
  duration_s: z.int().min(1),
  seed: z.int().min(0),
  machine: machineFactsSchema,
  /** How the account that follows the run is made. */
  report: z.object({
    deviation: z.enum(['sample', 'population']),
    limit: z.number().positive(),
    pairs: z.int().min(2),
  }),
});

export type RunRecord = z.infer<typeof runRecordSchema>;
