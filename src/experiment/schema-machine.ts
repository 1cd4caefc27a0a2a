/** How an experiment file says where its trials run, and which do not count because the machine was disturbed. */
import { z } from 'zod';
import { REJECTION_FACTS } from './experiment.ts';
import { count, flag, fraction, oneOf, text, UNIT_PATTERN } from './schema-leaves.ts';

export const machine = z
  .strictObject(
    {
      cpu: count(0, 8191).optional().describe('The CPU that trials are pinned to.'),
      orchestrator_cpu: count(0, 8191).optional().describe('The CPU that Assay itself is pinned to.'),
      layout: z
        .enum(['random', 'fixed'], { error: '`random` or `fixed`' })
        .optional()
        .describe('`fixed`: addresses of the programs are not randomised. Default random.'),
      environment_padding: count(0, 65536)
        .optional()
        .describe('Up to so many bytes, drawn for each trial, lengthen the environment. Default 0; with slices 4096.'),
      real_time: flag().optional().describe('Run the programs in the real-time class (SCHED_FIFO). Default false.'),
      require: z
        .strictObject(
          {
            governor: text('a name of a governor', UNIT_PATTERN)
              .optional()
              .describe('The frequency governor, such as performance.'),
            turbo: flag().optional().describe('Whether turbo frequencies must be on (true) or off (false).'),
            virtual: flag().optional().describe('Whether the machine must be virtual (true) or must not (false).'),
            min_cpus: count(1, 8192).optional().describe('The least number of CPUs.'),
            max_load: z
              .number({ error: 'a positive number' })
              .positive({ error: 'a positive number' })
              .optional()
              .describe('The largest load average (1 minute) at which a run starts.'),
          },
          { error: 'a map of what the machine must be like' },
        )
        .optional()
        .describe('What the machine must be like, else nothing runs.'),
    },
    { error: 'a map with `cpu`, `orchestrator_cpu`, `layout`, `environment_padding`, `real_time` or `require`' },
  )
  .describe('Which CPUs are used, and what the machine must be like.');

const rule = z
  .strictObject(
    {
      fact: z
        .enum(REJECTION_FACTS, { error: '`steal`, `other_cpu`, `frequency_hz` or `counter_share`' })
        .describe(
          'steal: CPU that the hypervisor took, as a share of one CPU; other_cpu: CPUs kept busy by anything else, 0.5 is half of one; frequency_hz: mean CPU frequency in Hz; counter_share: the share of the time that the counters ran.',
        ),
      above: fraction.optional().describe('Trials with more than this are rejected: a number, or a percentage.'),
      below: fraction.optional().describe('Trials with less than this are rejected: a number, or a percentage.'),
    },
    { error: 'a rule such as `{fact: steal, above: 2%}`' },
  )
  .meta(oneOf('above', 'below'));

const rules = z.array(rule, { error: 'a list of rules' }).max(100, { error: 'at most 100 rules' });

export const reject = z
  .union(
    [
      rules,
      z.strictObject(
        {
          rules: rules.describe('Rules over facts of the machine during one trial.'),
          max_repeats: count(0, 100).optional().describe('How often a rejected pair is repeated.').meta({ default: 2 }),
        },
        { error: 'a map with `rules`' },
      ),
    ],
    { error: 'a list of rules, or a map with `rules` and `max_repeats`' },
  )
  .describe('Which trials are left out because the machine was disturbed. Left out: none.');
