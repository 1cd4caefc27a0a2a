/** How an experiment file says that it is a calibration. `assay calibrate` writes it. */
import { z } from 'zod';
import { change, count, text } from './schema-leaves.ts';

export const calibration = z
  .strictObject(
    {
      runs: count(2, 1000).describe('How often the confirmation is run; each run is judged by itself.'),
      arm: text('the name of an arm')
        .optional()
        .describe('An arm of known cost that the reference is compared with. Left out: a copy of the reference (A/A).'),
      cost: change
        .optional()
        .describe('What that arm costs, as a change for the worse: 1%, or 0.01. Left out: nothing is said.'),
    },
    { error: 'a map, `{runs: 40}`' },
  )
  .describe(
    'Written by `assay calibrate`: the reference against itself, over and over. Controls, comparisons, screening, counting and `builds` are left out.',
  );
