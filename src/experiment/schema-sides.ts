/** How an experiment file asks for controls and for comparisons beside the confirmation. */
import { z } from 'zod';
import { ARM_NAME_PATTERN, command, count, METRIC_NAME_PATTERN, oneOf, params, text } from './schema-leaves.ts';
import { sessions } from './schema-slices.ts';

const MOST_BLOCKS = 10_000;

const armName = text('the name of an arm');
const metricName = text('the name of a metric', METRIC_NAME_PATTERN);
const name = text('a name: letters, digits, `.`, `_` and `-`, at most 64', ARM_NAME_PATTERN);
const off = z.literal('off', { error: '`off`' });

const pairs = count(1, MOST_BLOCKS)
  .optional()
  .describe('Pairs of trials of the control; an even number for two arms.')
  .meta({ default: 16 });

const control = z
  .strictObject(
    {
      same: armName.optional().describe('A/A: this arm against itself.'),
      rebuild: armName
        .optional()
        .describe('This git arm against its source built again from nothing: how much a build alone moves the result.'),
      counters: off
        .optional()
        .describe(
          '`off`: the arms of the confirmation without counters; their effect is compared with that with them.',
        ),
      params: params
        .optional()
        .describe('Work that the change cannot have touched, by parameters that win over all others.'),
      command: command
        .optional()
        .describe(
          'Work that the change cannot have touched, by a command of its own for all arms of the confirmation.',
        ),
      metrics: z
        .array(metricName, { error: 'a list of names of metrics' })
        .min(1, { error: 'at least one metric' })
        .max(100, { error: 'at most 100 metrics' })
        .optional()
        .describe('With params or command: the metrics that are read. Left out: all.'),
      metric: metricName
        .optional()
        .describe('A metric of the confirmation that the change cannot have touched; it has no trials of its own.'),
      pairs,
      sessions: sessions(1).describe('With slices: sessions of the control, an even number.').meta({ default: 16 }),
    },
    { error: 'a control such as `{same: before, pairs: 8}`' },
  )
  .meta({
    oneOf: [
      ...oneOf('same', 'rebuild', 'counters', 'metric').oneOf,
      { anyOf: [{ required: ['params'] }, { required: ['command'] }] },
    ],
  });

export const controls = z
  .record(name, control, { error: 'a map of controls, `{again: {same: before}}`' })
  .describe('Comparisons whose answer is known, in pairs of their own after the confirmation; never pooled with it.');

const comparison = z.strictObject(
  {
    arms: z
      .array(armName, { error: 'a list of names of arms' })
      .min(2, { error: 'at least two arms' })
      .max(26, { error: 'at most 26 arms' })
      .describe('Two or more arms; the first is the reference.'),
    blocks: count(1, MOST_BLOCKS)
      .optional()
      .describe('Blocks of one trial of each arm, rounded up to whole Williams squares; even for two arms.')
      .meta({ default: 16 }),
    against: z
      .record(armName, armName, { error: 'a map of names of arms, `{ablation: rebuild}`' })
      .optional()
      .describe('Of an arm, what it is compared with instead of the first.'),
    counters: off.optional().describe('`off`: nothing is counted. Left out: as in the confirmation.'),
  },
  { error: 'a comparison such as `{arms: [before, after, ablation], blocks: 12}`' },
);

export const comparisons = z
  .record(name, comparison, { error: 'a map of comparisons, `{five: {arms: [before, after, ablation]}}`' })
  .describe('Arms compared in blocks of their own after the confirmation; reported apart, and never pooled with it.');

export const confirmationArms = z
  .array(armName, { error: 'a list of names of arms' })
  .min(2, { error: 'at least two arms' })
  .max(26, { error: 'at most 26 arms' })
  .optional()
  .describe('The arms that the verdict is about, the first being the reference. Left out: all.');
