/** What is kept of one step: written once, when it has ended well. */
import { z } from 'zod';

export const stepRecordSchema = z.object({
  key: z.string(),
  test: z.string(),
  argv: z.array(z.string()).describe('db_bench with its arguments.'),
  started: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    .describe('UTC.'),
  wall_ns: z.number(),
  cpu_ns: z
    .number()
    .nullable()
    .describe('Of the whole process with opening, flushes and compactions; null where unknown.'),
  max_rss_bytes: z.number().nullable(),
  version: z.string().nullable().describe('Of RocksDB, as db_bench says.'),
  cautions: z.array(z.string()).describe('What db_bench warns of.'),
  columns: z.record(z.string(), z.number()).describe('As the table has them.'),
});

export type StepRecord = z.infer<typeof stepRecordSchema>;
