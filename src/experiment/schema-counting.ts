/** How an experiment file asks for instructions to be counted. */
import { z } from 'zod';
import { count, duration, operations, params, sentence, text } from './schema-leaves.ts';

const LONGEST_REGION = 200;

const tool = z.literal('callgrind', { error: '`callgrind`' });

const region = sentence(
  text('the name of a function such as `timed_*`').min(1, { error: 'the name of a function such as `timed_*`' }),
  (value) => {
    if (value.length > LONGEST_REGION) return `the name of a region has at most ${LONGEST_REGION} characters`;
    if (value.trim() !== value) return 'the name of a region begins and ends without a blank';
    return /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value) ? null : 'the name of a region has visible characters only';
  },
).meta({ maxLength: LONGEST_REGION });

export const counting = z
  .union(
    [
      tool,
      z.strictObject({
        tool: tool.describe('What counts.'),
        repeats: count(2, 100)
          .optional()
          .describe('Counted trials of each arm; their range is what can be told apart.')
          .meta({ default: 2 }),
        region: region
          .optional()
          .describe(
            'The function between whose call and return is counted; with `*` and `?` the one that matches. Left out: the timed region of a driver of Assay, else the whole process.',
          ),
        params: params
          .optional()
          .describe('Values for {params.NAME} in counted trials, such as a smaller size; they win over all others.'),
        per: operations
          .optional()
          .describe(
            'Operations of a counted trial: a number, or a JSON pointer into the result line. Left out: the `per` of the first primary metric; where that has none, /operations with a driver of Assay.',
          ),
        timeout: duration
          .optional()
          .describe('A counted trial that takes longer fails; it is some 50 times slower.')
          .meta({ default: '1h' }),
      }),
    ],
    { error: '`callgrind`, or a map `{tool: callgrind, …}`' },
  )
  .describe('Count instructions too, in trials of their own after the timed ones. Left out: nothing is counted.');
