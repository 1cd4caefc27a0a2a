/** The format of `results.json`. schemas/results.schema.json is made from this. */
import { z } from 'zod';
import { calibrationSchema } from '../journal/calibration-schema.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
export const RESULTS_VERSION = 1;

const interval = z.tuple([z.number(), z.number()]);
const count = z.int().nonnegative();
const probability = z.number().min(0).max(1);
const kind = z.enum(['ratio', 'difference']);

const change = z.number().describe('A fraction for ratio metrics (0.0131 is +1.31 %), else in the unit of the metric.');

const place = { block: count, attempt: count };

const companions = z
  .object({
    sd: z.number().describe('Of the effects of the pairs: of ln(arm/reference) for ratio metrics.'),
    directions: z.object({ up: count, down: count, tied: count, p_value: probability.nullable() }),
    smallest_pair: change,
    largest_pair: change,
    throughput_change: z.number().nullable(),
    order_effect: z.object({ gamma: z.number(), interval, p_value: probability }).nullable(),
    autocorrelation: z.object({ lag1: z.number(), limit: z.number() }).nullable(),
    trend: z.object({ slope: z.number(), interval, p_value: probability }).nullable(),
    wilcoxon_p: probability.nullable(),
    hodges_lehmann: z.number().nullable(),
    detectable: z.number().nullable().describe('The change that these many pairs of this spread find with 80 % power.'),
    stratified: z.boolean(),
    builds: z
      .object({
        means: z.array(z.object({ build: count, pairs: count, change })),
        within_sd: z.number().nullable(),
        between_sd: z.number(),
      })
      .nullable()
      .describe('Where each arm was built several times: the interval and the sign test are then over builds.'),
  })
  .describe('What stands beside the change; none of it decides the verdict.');

const comparison = z.object({
  metric: z.string(),
  unit: z.string(),
  kind,
  better: z.enum(['lower', 'higher']),
  primary: z.boolean(),
  arm: z.string(),
  reference: z.string(),
  pairs: count.describe('That the change rests on.'),
  planned_pairs: count,
  operations: z
    .object({ lowest: count, highest: count, contradicted: z.boolean() })
    .nullable()
    .describe(
      'By which the values of a trial are divided, over all trials; null where they are not, or not known yet. `contradicted`: the driver says of some trial that it did another number.',
    ),
  means: z.object({ reference: z.number(), arm: z.number() }).nullable(),
  change: change.nullable().describe('Null where there is no effect to judge.'),
  interval: interval.nullable().describe('Null where there is no effect, or where it is exact.'),
  interval_level: z.number().nullable(),
  plain_interval: interval.nullable().describe('At the level of the run, where `interval` is at a Holm step level.'),
  sequence: z
    .object({
      ...{ min: count, max: count, c2: z.number() },
      looks: z.array(z.object({ pairs: count, change, interval: interval.nullable() })),
    })
    .nullable()
    .describe('Of a sequential run: what each look saw, at `interval_level`; null: the number of pairs was fixed.'),
  slices: z
    .object({
      total: z.object({ change, interval }),
      total_agrees: z.boolean().nullable(),
      ...{ quads: z.number(), slice_ns: z.number(), quad_ns: z.number(), setup_ns: z.number() },
      within_sd: z.number().nullable(),
      between_sd: z.number(),
      best_quads: z.number().nullable(),
      half_width: z
        .object({ now: z.number(), twice_the_sessions: z.number(), twice_as_long: z.number().nullable() })
        .nullable(),
      drift: z.object({ change, p_value: probability }).nullable(),
      sessions: z
        .array(z.object({ ...place, change, noise: interval.nullable(), total: change, quads: count }))
        .describe('`noise`: one standard deviation that the noise of slices gives a session, either side of `change`.'),
      median_session: z.object(place).describe('The session whose effect is the median.'),
      extreme_session: z.object(place).describe('The one whose effect lies furthest from it.'),
    })
    .nullable()
    .describe('Of an effect that was taken from slices in turns: `change` is that of the typical slice.'),
  exact: z.boolean().describe('Every trial of an arm gave the same value.'),
  threshold: z.number(),
  margin: z.number().nullable(),
  equivalence: z
    .object({
      margin: z.number(),
      interval,
      interval_level: z.number(),
      p_value: probability,
      equivalent: z.boolean(),
    })
    .nullable(),
  verdict: z.enum(['slower', 'faster', 'equivalent', 'inconclusive', 'invalid', 'none']),
  verdict_reason: z.string().nullable(),
  measurably: z.enum(['slower', 'faster']).nullable().describe('An equivalent arm whose interval excludes zero.'),
  layout: z
    .object({ floor: change, beyond: z.boolean() })
    .nullable()
    .describe('What a rebuild moved it by, and whether the whole interval lies beyond that. It decides no verdict.'),
  in_words: z.string(),
  companions: companions.nullable(),
});

const control = z.object({
  name: z.string(),
  kind: z.enum(['same', 'rebuild', 'uncounted', 'unchanged', 'metric']),
  arm: z.string(),
  reference: z.string(),
  metric: z.string(),
  unit: z.string(),
  metric_kind: kind,
  primary: z.boolean(),
  tested: z
    .boolean()
    .describe('Primary metrics, and those that a control names. The others are shown, and not tested.'),
  pairs: count,
  planned_pairs: count,
  change: change.nullable(),
  interval: interval
    .nullable()
    .describe('The one that decides, where the control is tested; null where there is none.'),
  interval_level: z.number().nullable(),
  difference: z
    .object({ change, interval, interval_level: z.number() })
    .nullable()
    .describe('Of the effect without counters from that with them, which is what is tested.'),
  directions: z.object({ up: count, down: count, tied: count }).nullable(),
  p_value: probability.nullable().describe('After Holm over all that is tested in controls; null: not tested.'),
  outcome: z.enum(['passed', 'failed', 'uninformative', 'floor', 'none']),
  same_code: z.boolean(),
  floor: change.nullable().describe('Of a rebuild: the larger bound of its interval, without sign.'),
  reason: z.string().nullable(),
});

const side = z.object({
  name: z.string(),
  arms: z.array(z.string()),
  counters: z.enum(['hardware', 'software', 'off']),
  blocks: z.object({ planned: count, complete: count }),
  comparisons: z.array(
    comparison.extend({
      role: z.enum(['stock', 'rebuild', 'ablation', 'other']),
      same_code: z.boolean(),
      rebuilt_reference: z.boolean(),
      contribution: z.enum(['supports', 'same-way', 'open']).nullable(),
    }),
  ),
  remainders: z
    .array(
      z.object({
        metric: z.string(),
        unit: z.string(),
        kind,
        arm: z.string(),
        reference: z.string(),
        ablations: z.array(z.string()),
        blocks: count,
        change,
        interval,
      }),
    )
    .describe('What the ablations leave of the change that the same blocks found.'),
});

const rejectedTrial = z.object({
  block: count,
  attempt: count,
  arm: z.string(),
  fact: z.string(),
  value: z.number(),
  limit: z.number(),
});

const rejections = z.object({
  total: count,
  by_arm: z.record(z.string(), count),
  pair_share: z.number(),
  p_value: probability.nullable(),
  rows: z.array(rejectedTrial),
});

const counting = z
  .object({
    tool: z.string(),
    unit: z.enum(['operation', 'trial']).describe('What a count is divided by. A count is never a time.'),
    repeats: count.describe('Trials of each arm.'),
    region: z.string().nullable().describe('The functions between whose call and return was counted; null: all.'),
    operations: z.number().nullable().describe('Of one counted trial.'),
    params: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('Of the counted trials, where they differ from the timed ones.'),
    arms: z.array(z.object({ arm: z.string(), lowest: z.number(), highest: z.number() })),
    contrasts: z.array(
      z.object({
        arm: z.string(),
        reference: z.string(),
        difference: z.number().describe('Of the middles of the ranges. Nothing finer than `range` is known.'),
        range: interval.describe('What the repeats allow; no confidence interval.'),
        change: z.number().nullable().describe('A fraction of the reference.'),
        functions: z.array(
          z.object({
            name: z.string(),
            reference: z.number().nullable().describe('Self cost; null: not counted in that arm.'),
            arm: z.number().nullable(),
            difference: z.number(),
            range: interval,
          }),
        ),
        rest: z.number().describe('The difference of all functions that are not listed.'),
        in_words: z.string(),
      }),
    ),
  })
  .describe('Instructions, counted in trials of their own. Null: none were, not all, or the run is invalid.');

export const resultsSchema = z
  .object({
    format: z.literal('assay-results'),
    version: z.literal(RESULTS_VERSION),
    assay: z.string().describe('The version of Assay that ran the trials.'),
    experiment_id: z.string().describe('SHA-256 of the experiment without its seed and title.'),
    title: z.string(),
    question: z.string().nullable(),
    constructed: z.boolean(),
    state: z.enum(['complete', 'incomplete', 'invalid']),
    problems: z.array(z.string()),
    started: z.iso.datetime(),
    trial_seconds: z.number().nullable(),
    level: probability,
    plan: z.object({
      seed: z.number().nullable().describe('Null where nothing was drawn: results that were measured elsewhere.'),
      arms: z.array(z.string()),
      reference: z.string(),
      screening_pairs: count,
      pairs: count.describe('Planned for the confirmation.'),
      complete_pairs: count,
      warmup: count,
      builds: count.describe('Of each arm; with 2 or more the unit of an interval is the build.'),
    }),
    comparisons: z.array(comparison),
    controls: z.array(control),
    sides: z.array(side).describe('Comparisons beside the confirmation, never pooled with it; they decide nothing.'),
    layout_floor: z.record(z.string(), change).describe('By metric: the largest bound of a rebuild, without sign.'),
    checks: z.object({ trials: count, made: count, failed: count, names: z.array(z.string()) }),
    warnings: z.array(
      z.object({ code: z.string(), metric: z.string().nullable(), message: z.string(), remedy: z.string() }),
    ),
    counters: z
      .object({
        kind: z.enum(['hardware', 'software']),
        scopes: z
          .array(z.enum(['region', 'process']))
          .describe('What was counted around: the timed region of the driver, or the process.'),
        trials: count.describe('That did not fail.'),
        counted: count.describe('Trials that have counters.'),
        share: z
          .object({ least: probability, most: probability })
          .nullable()
          .describe('Of the time in which they should have run, in trials that no rule rejected.'),
        reason: z.string().nullable().describe('Why a trial has none.'),
      })
      .optional()
      .describe('Left out where the experiment has no counters.'),
    rejections,
    rejections_beside: z
      .array(rejections.extend({ phase: z.string() }))
      .describe('Of controls and side comparisons; those without any are left out.'),
    interruptions: z.array(
      z.object({
        phase: z.string(),
        block: count,
        attempt: count,
        reason: z.enum(['resumed', 'gap']),
      }),
    ),
    screening: z.array(
      z.object({
        metric: z.string(),
        arm: z.string(),
        pairs: count,
        sd: z.number().nullable(),
        sd_upper_80: z.number().nullable(),
        pair_seconds: z.number(),
      }),
    ),
    counting: counting.nullable(),
    drivers: z
      .array(z.object({ arm: z.string(), timed: z.string().nullable(), not_a_claim_about: z.array(z.string()) }))
      .describe('What the drivers say of their own workloads; arms whose driver says nothing are left out.'),
    imported: z
      .object({
        tool: z.string(),
        order: z
          .enum(['shown', 'said', 'unknown'])
          .describe(
            'Whether the sides ran in turns: by the times in the files, by the word of whoever imported them, or nobody knows.',
          ),
        unit: z
          .enum(['process', 'file', 'shared'])
          .describe('What a repetition is: a process, a file, or one of several in a process.'),
        sides: z.array(z.object({ arm: z.string(), result: z.string().nullable() })),
        files: z.array(z.object({ name: z.string(), sha256: z.string(), arms: z.array(z.string()) })),
      })
      .optional()
      .describe('Of results that were measured elsewhere; `started` is when they were imported. Left out for a run.'),
    calibration: calibrationSchema
      .optional()
      .describe('Of this machine and workload, as it was on record when the run began. Left out where there was none.'),
    earlier_runs: z.array(z.object({ name: z.string(), started: z.iso.datetime(), finished: z.boolean() })),
  })
  .describe('What a run of Assay found. Never holds a number that is not finite.');

export type Results = z.infer<typeof resultsSchema>;
