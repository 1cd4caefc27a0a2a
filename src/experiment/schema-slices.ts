/** How an experiment file asks for work in turns. */
import { z } from 'zod';
import { count, duration, flag, fraction, shortDuration } from './schema-leaves.ts';
import { SLICE_DEFAULTS } from './slices.ts';

export const slices = z
  .union(
    [
      flag(),
      z.strictObject(
        {
          length: shortDuration('us')
            .optional()
            .describe('How long a slice takes about: 600us, 2ms.')
            .meta({ default: SLICE_DEFAULTS.length }),
          session: shortDuration('s')
            .optional()
            .describe('How long the slices of a session take about, set-up and verification not included.')
            .meta({ default: SLICE_DEFAULTS.session }),
          operations: count(1, 1e9)
            .optional()
            .describe('Operations of a slice. Left out: what takes `length` is found in the warm-up.'),
          prelude: fraction
            .optional()
            .describe(
              'Operations before each slice that are not timed, as a part of those that are: the other arm cooled the caches.',
            )
            .meta({ default: SLICE_DEFAULTS.prelude }),
          answer_timeout: duration
            .optional()
            .describe('A driver that takes longer for one answer fails: set-up, a slice, verification.')
            .meta({ default: SLICE_DEFAULTS.answer_timeout }),
        },
        { error: 'a map, `{length: 600us, session: 1s}`' },
      ),
    ],
    { error: '`true`, or a map `{length: 600us, session: 1s}`' },
  )
  .describe(
    'Both arms live at the same time and work in turns, a slice each; the driver must know how (`--serve`). A pair is then a session. Left out: each trial is a process of its own time.',
  );

const most = 10_000;

export const sessions = (least: number) => count(least, most).optional();
