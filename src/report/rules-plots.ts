/** What the plots of the HTML page say: names and descriptions for those who do not see them, captions, and tool-tips. */
export const PLOT_RULES = {
  'plot.forest-name': {
    when: 'several ratio metrics have a change',
    sentence: 'Change of every metric with its interval',
  },
  'plot.forest-row': {
    when: 'as plot.forest-name, for each of them',
    sentence: '{subject}: {change} {interval}, {verdict}',
  },
  'plot.forest': {
    when: 'below the plot of all metrics',
    sentence: 'A mark is the change, the line through it its interval.',
  },
  'plot.forest-differences': {
    when: 'as plot.forest, where other metrics are differences',
    sentence: 'Metrics that are differences have units of their own and stand in the table only.',
  },
  'plot.pairs-name': { when: 'a metric has a change', sentence: 'Effect of every {block} on {metric}' },
  'plot.pairs-row': {
    when: 'as plot.pairs-name, for each arm',
    sentence: '{subject}: {change} {interval}; {directions}, smallest {block} {smallest}, largest {block} {largest}.',
  },
  'plot.pairs': {
    when: 'below the plot of all pairs',
    sentence: 'All {blocks} are drawn; each has its numbers as a tool-tip.',
  },
  'plot.pairs-dense': {
    when: 'as plot.pairs, where there are many',
    sentence: 'All {blocks} are drawn; tool-tips are left out to keep the page small (pairs.csv has the numbers).',
  },
  'plot.pair': { when: 'on each mark of a pair', sentence: '{place}, {first} first: {change}' },
  'plot.order-name': { when: 'there are two arms and both orders', sentence: 'Order effect on {metric}' },
  'plot.order-means': {
    when: 'as plot.order-name',
    sentence: 'Mean change of the pairs by which arm ran first: {means}.',
  },
  'plot.order': {
    when: 'below the plot of both orders',
    sentence: 'Every pair, by which arm ran first. Companions has the test of whether the two orders differ.',
  },
  'plot.trials-name': { when: 'trials have a metric', sentence: '{metric} of every trial over time' },
  'plot.trials-left': {
    when: 'as plot.trials-name',
    sentence: '{trials} in the order in which they ran, {left} of them not counted.',
  },
  'plot.trials-means': { when: 'a plot of trials shows a metric that has a change', sentence: 'Means: {means}.' },
  'plot.trials': {
    when: 'below the plot of all trials',
    sentence: '{trials} in the order in which they ran; warm-up and screening stand apart.',
  },
  'plot.trials-axis': {
    when: 'as plot.trials, where the axis is cut',
    sentence: 'The axis does not begin at zero.',
  },
  'plot.trials-dense': {
    when: 'as plot.trials, where there are many',
    sentence: 'Tool-tips are left out to keep the page small (trials.csv has the numbers).',
  },
  'plot.trial': { when: 'on each mark of a trial', sentence: '{place}: {value}' },
  'plot.left-out': {
    when: 'in the legend, where trials do not count that were not rejected themselves',
    sentence: 'left out for another reason (its partner was, or the run was stopped in it)',
  },
  'plot.positions-name': { when: 'there are more than two arms', sentence: '{metric} by position in the block' },
  'plot.positions-panels': {
    when: 'as plot.positions-name',
    sentence: '{trials} that count, one panel for each of {arms} arms; each arm ran in every position.',
  },
  'plot.positions': {
    when: 'below the plot of positions',
    sentence: 'Trials that count. Values that rise or fall with the position hint at an effect of what ran before.',
  },
  'plot.noise-name': { when: 'a fact of the machine varied', sentence: '{fact} during every trial' },
  'plot.noise-range': { when: 'as plot.noise-name', sentence: '{trials}: {range}; {rejected} marked.' },
  'plot.noise': { when: 'below the plot of a fact of the machine', sentence: '{range} during a trial.' },
  'plot.noise-constant': {
    when: 'a fact of the machine was the same in all trials: there is no plot of it',
    sentence: '{fact}: {value} in each of {trials}.',
  },
  'plot.functions-name': {
    when: 'several functions differ in instructions',
    sentence: 'Difference of instructions by function, {arm} against {reference}',
  },
  'plot.function': { when: 'as plot.functions-name, and on each bar', sentence: '{name}: {difference}' },
  'plot.functions': {
    when: 'below the plot of functions',
    sentence:
      'Instructions {each} of a function itself, without those that it calls. Right of zero {arm} executes more.',
  },
  'plot.functions-ranged': {
    when: 'as plot.functions, where a difference is not known exactly',
    sentence: 'A difference has a range where repeats differ, or where a count does not name the function.',
  },
  'plot.functions-cut': {
    when: 'as plot.functions, where names are cut',
    sentence: 'Names that are cut stand whole in the table.',
  },
  'plot.metrics-left-out': {
    when: 'the page would be too large with the plots of all metrics',
    sentence: 'Plots of {metrics} are left out to keep the page small; trials.csv and pairs.csv have their numbers.',
  },
} as const;
