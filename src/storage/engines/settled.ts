/** What a study settled before its first trial, kept beside its runs, so that going on does not settle anew. */
import { z } from 'zod';
import { ORDERS } from '../../experiment/experiment.ts';
import { ARM_NAME_PATTERN } from '../../experiment/schema-leaves.ts';
import type { EngineStudy } from './study.ts';

/** What the study asked for, and does without. */
export interface LeftOut {
  readonly what: 'engine' | 'size' | 'device';
  /** Of the engine or size. */
  readonly name: string;
  /** A clause. */
  readonly reason: string;
  /** A sentence. */
  readonly remedy: string;
}

export interface SettledStudy {
  readonly format: 'assay-engine-study';
  readonly version: 1;
  /** As it was written. */
  readonly text: string;
  readonly small: boolean;
  /** Of keys, values and orders. */
  readonly seed: number;
  /** Without what was left out. */
  readonly study: EngineStudy;
  readonly left_out: readonly LeftOut[];
}

const count = z.int().min(0);
const size = z.object({
  // Of a directory beside the file, and of nothing elsewhere.
  name: z.string().regex(ARM_NAME_PATTERN),
  keys: count,
  value_bytes: count,
  cache_bytes: count,
  memory_limit_bytes: count.nullable(),
  load: z.enum(['random', 'sequence']),
  points: count,
  ranges: count,
  range_length: count,
  overwrites: count,
});
const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('engine'), engine: z.string(), prefix: z.string().nullable() }),
  z.object({ kind: z.literal('program'), program: z.string() }),
]);

export const leftOutSchema = z.object({
  what: z.enum(['engine', 'size', 'device']),
  name: z.string(),
  reason: z.string(),
  remedy: z.string(),
});

export const settledSchema: z.ZodType<SettledStudy> = z.object({
  format: z.literal('assay-engine-study'),
  version: z.literal(1),
  text: z.string(),
  small: z.boolean(),
  seed: count,
  study: z.object({
    title: z.string(),
    question: z.string().nullable(),
    engines: z.array(
      z.object({
        name: z.string(),
        source,
        variant: z.string().nullable(),
        log: z.boolean().nullable(),
        required: z.boolean(),
      }),
    ),
    sizes: z
      .array(size)
      .min(1)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length),
    repetitions: count,
    order: z.enum(ORDERS),
    device: z.object({ size_bytes: count }).nullable(),
    log: z.boolean(),
    seed: count.nullable(),
    timeout_ms: count,
    level: z.number().gt(0).lt(1),
  }),
  left_out: z.array(leftOutSchema),
});
