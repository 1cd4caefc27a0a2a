/** Metrics and checks of an experiment file: what is read from a trial's raw output. */
import { z } from 'zod';
import { TOOL_NAMES } from '../formats/tools.ts';
import { COUNTER_SOURCES } from './counters.ts';
import { SYSTEM_METRICS } from './experiment.ts';
import { patternFault } from './pattern.ts';
import {
  anyPattern,
  change,
  count,
  flag,
  INNER_PATH_PATTERN,
  METRIC_NAME_PATTERN,
  oneOf,
  operations,
  pointer,
  sentence,
  text,
  UNIT_PATTERN,
  valuePattern,
} from './schema-leaves.ts';
import { SLICE_SOURCES } from './slices.ts';
import { REPEATS, TOOL_METRIC_PATTERN, TOOL_SOURCE_PATTERN } from './tool-source.ts';

/** A pattern; true where a tool's reader takes the whole stream. */
const streamValue = sentence(
  z.union([z.string().meta({ minLength: 1, maxLength: 1000 }), z.literal(true)], {
    error: 'a pattern in RE2 syntax, or with `tool` the word true',
  }),
  (value) => (value === true ? null : patternFault(value, 1)),
);

const valueObject = z
  .strictObject(
    {
      stdout: streamValue
        .optional()
        .describe(
          'A pattern in RE2 syntax with one group, looked for in stdout; with `tool` true, which is what holds without it.',
        ),
      stderr: streamValue
        .optional()
        .describe(
          'A pattern in RE2 syntax with one group, looked for in stderr; with `tool` true: what it prints there is read.',
        ),
      file: text('a path inside of the trial’s directory: relative, without `.` or `..`', INNER_PATH_PATTERN)
        .optional()
        .describe(
          'A regular file in the directory of the trial; its whole text is the value, or what `tool` is to read.',
        ),
      pointer: pointer.optional().describe('The file is JSON, and the value stands here in it (JSON pointer).'),
      pattern: valuePattern.optional().describe('A pattern in RE2 syntax with one group, looked for in the file.'),
      tool: z
        .enum(TOOL_NAMES, { error: `a tool whose output can be read: ${TOOL_NAMES.join(', ')}` })
        .optional()
        .describe('Another tool, whose output is read.'),
      result: text('the name of a result: text of at most 1000 characters')
        .min(1, { error: 'the name of a result' })
        .max(1000, { error: 'the name of a result: text of at most 1000 characters' })
        .optional()
        .describe('What the tool measured, as it calls it: a benchmark, a step, a job, a command.'),
      metric: text('a metric of the tool, such as `p99`: small letters, digits and `_`', TOOL_METRIC_PATTERN)
        .optional()
        .describe('Which number of the result.'),
      repeats: z
        .enum(REPEATS, { error: '`mean`, `median`, `min` or `max`' })
        .optional()
        .describe('What of a result that is there several times; without it that fails the trial.'),
    },
    { error: 'where a value comes from' },
  )
  .meta({
    oneOf: [
      ...oneOf('stdout', 'stderr', 'file').oneOf,
      { required: ['tool'], not: { anyOf: oneOf('stdout', 'stderr', 'file').oneOf } },
    ],
    dependentRequired: {
      ...{ pointer: ['file'], pattern: ['file'], tool: ['result', 'metric'] },
      ...{ result: ['tool'], metric: ['tool'], repeats: ['tool'] },
    },
  });

const toolPath = text('a result of another tool', TOOL_SOURCE_PATTERN);

const valueSource = z.union([pointer, toolPath, valueObject], {
  error:
    'a JSON pointer into the result line (`/facts/keys`), a result of another tool (`TOOL.RESULT.METRIC`), or `{stdout: …}`, `{stderr: …}`, `{file: …}` or `{tool: …}`',
});

const metricSource = z.union(
  [z.enum([...SYSTEM_METRICS, ...SLICE_SOURCES, ...COUNTER_SOURCES]), pointer, toolPath, valueObject],
  {
    error:
      '`wall`, `cpu` or `max_rss`, what slices tell (`slice`, `slice.cpu`), a counter (`counters.cycles`), a JSON pointer into the result line (`/metrics/write_ns`), a result of another tool (`TOOL.RESULT.METRIC`), or `{stdout: …}`, `{stderr: …}`, `{file: …}` or `{tool: …}`',
  },
);

export const metric = z.strictObject(
  {
    name: text(
      'a name: a letter, then letters, digits, `_`, `.`, `/` and `-`, at most 64',
      METRIC_NAME_PATTERN,
    ).describe(
      'The name in reports. wall, cpu and max_rss come from the operating system unless `from` says otherwise.',
    ),
    unit: sentence(text('a unit: at most 32 characters without spaces', UNIT_PATTERN), (value) =>
      /\p{Cc}/u.test(value) ? 'control characters cannot be used' : null,
    )
      .optional()
      .describe(
        'ns and bytes are scaled in reports, any other unit is printed as it stands. wall and cpu are in ns, max_rss in bytes.',
      ),
    better: z
      .enum(['lower', 'higher'], { error: '`lower` or `higher`' })
      .optional()
      .describe('Which direction is the good one.')
      .meta({ default: 'lower' }),
    primary: flag()
      .optional()
      .describe('Whether the outcome of the run is read from this metric. Where none is, the first one is.'),
    per: operations
      .optional()
      .describe(
        'Operations of a trial, by which its value is divided: a number, or a JSON pointer to where the result line has it, such as /operations.',
      ),
    kind: z
      .enum(['ratio', 'difference'], { error: '`ratio` or `difference`' })
      .optional()
      .describe('Whether arms are compared by their ratio, in per cent, or by their difference, in the unit.')
      .meta({ default: 'ratio' }),
    optional: flag().optional().describe('Whether a trial may lack this value.').meta({ default: false }),
    from: metricSource
      .optional()
      .describe(
        'Where the value comes from: wall, cpu or max_rss; slice (wall time of an operation), slice.cpu, slice.stalls, slice.stalled or slice.switches where arms work in turns; a counter such as counters.cycles; a JSON pointer into the result line; a pattern in stdout or stderr; a file; a result that another tool prints, as TOOL.RESULT.METRIC or a map with tool. Without it /metrics/NAME of the result line.',
      ),
    threshold: change
      .optional()
      .describe(
        'A change within this is neither slower nor faster. For differences a number in the unit. Default: that of `decision`, or 0 for differences.',
      ),
    margin: change
      .optional()
      .describe(
        'A change that is surely within this is equivalent. For differences a number in the unit. Default: that of `decision`, none for differences.',
      ),
  },
  { error: 'a metric: a map with `name`, `unit` and `from`' },
);

const occurrence = z
  .strictObject(
    {
      stdout: anyPattern.optional().describe('A pattern in RE2 syntax, looked for in stdout.'),
      stderr: anyPattern.optional().describe('A pattern in RE2 syntax, looked for in stderr.'),
    },
    { error: '`{stdout: pattern}` or `{stderr: pattern}`' },
  )
  .meta(oneOf('stdout', 'stderr'));

const driverNames = z.union(
  [
    z.literal('any', { error: '`any`' }),
    z
      .array(text('a name of a check').min(1, { error: 'a name of a check' }), { error: 'a list of names' })
      .min(1, { error: 'at least one name, or `any`' })
      .max(1000, { error: 'at most 1000 names' }),
  ],
  { error: 'a list of the names of checks, or `any`' },
);

export const check = z
  .strictObject(
    {
      exit_code: count(0, 255)
        .optional()
        .describe('The exit code that a trial must have; 0 where no check says another.'),
      driver: driverNames
        .optional()
        .describe('Checks that the result line must report as ok: a list of names, or any.'),
      equal: valueSource.optional().describe('A value that must be the same in all trials of all arms.'),
      must_match: occurrence.optional().describe('A pattern that must occur in stdout or stderr.'),
      must_not_match: occurrence.optional().describe('A pattern that must not occur in stdout or stderr.'),
    },
    { error: 'a check: a map with one of `exit_code`, `driver`, `equal`, `must_match` and `must_not_match`' },
  )
  .meta(oneOf('exit_code', 'driver', 'equal', 'must_match', 'must_not_match'));
