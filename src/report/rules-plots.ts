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
  'plot.pair-unordered': {
    when: 'as plot.pair, where it is not known which ran first',
    sentence: '{place}: {change}',
  },
  'plot.order-name': { when: 'there are two arms and both orders', sentence: 'Order effect on {metric}' },
  'plot.order-means': {
    when: 'as plot.order-name',
    sentence: 'Mean change of the {blocks} by which arm went first: {means}.',
  },
  'plot.order': {
    when: 'below the plot of both orders',
    sentence: 'Every {block}, by which arm went first. Companions has the test of whether the two orders differ.',
  },
  'plot.sequence-name': {
    when: 'a primary metric of a sequential run has a change',
    sentence: 'Change of {subject} at every look, with its confidence sequence',
  },
  'plot.sequence-described': {
    when: 'as plot.sequence-name, where the run was decided early',
    sentence: '{looks}: {first}; {last}, where the run ended ({max} at most).',
  },
  'plot.sequence-described-last': {
    when: 'as plot.sequence-name, where the run went on to its end',
    sentence: '{looks}: {first}; {last}, the most that were planned ({max}).',
  },
  'plot.look': { when: 'on each mark of a look', sentence: '{place}: {seen}' },
  'plot.sequence': {
    when: 'below the plot of looks',
    sentence: 'Every look with its interval, {looks} in all.',
  },
  'plot.sequence-early': {
    when: 'as plot.sequence, where the run was decided early',
    sentence: 'What lies right of the last mark was planned, and did not need to be run.',
  },
  'plot.sequence-cut': {
    when: 'as plot.sequence, where early intervals are wider than the plot',
    sentence: 'Intervals of early looks that are wider than the plot end at its edge.',
  },
  'plot.sequence-unbounded': {
    when: 'as plot.sequence, where the first looks have no interval',
    sentence: 'A mark without a line: so few have no bound yet.',
  },
  'plot.sessions-name': {
    when: 'a metric was taken from slices and has a change',
    sentence: 'Typical slice of every session: {metric}',
  },
  'plot.totals-name': { when: 'as plot.sessions-name', sentence: 'Total of every session: {metric}' },
  'plot.sessions-row': {
    when: 'as plot.sessions-name',
    sentence: '{subject}: {change} {interval}; {directions}, smallest session {smallest}, largest session {largest}.',
  },
  'plot.totals-row': {
    when: 'as plot.totals-name',
    sentence:
      'Total of {subject}: {change} {interval}; {directions}, smallest session {smallest}, largest session {largest}.',
  },
  'plot.session': { when: 'on each mark of a session', sentence: '{place}, {first} started first: {change}' },
  'plot.sessions': {
    when: 'below the plot of the typical slices',
    sentence: 'All {sessions}: the change of the typical slice, from which the verdict is read.',
  },
  'plot.sessions-noise': {
    when: 'as plot.sessions, where sessions have enough slices to tell',
    sentence:
      'The line through a mark is one standard deviation of what the noise of slices makes of a session, either side; it is the same for all, and shorter than the mark where it is not seen. Where marks lie much further apart than these lines reach, sessions differ of themselves.',
  },
  'plot.sessions-dense': {
    when: 'as plot.sessions, where there are many',
    sentence: 'Tool-tips are left out to keep the page small (pairs.csv has the numbers).',
  },
  'plot.totals': {
    when: 'below the plot of the totals',
    sentence:
      'The change of all that the arms took for their operations, rare expensive slices with it: {change} {interval} over all sessions. It has an axis of its own.',
  },
  'plot.slices-name': {
    when: 'as plot.sessions-name, of the median session, and of a primary metric of the one furthest from it',
    sentence: 'Session {session}, slice by slice: {metric}',
  },
  'plot.slices-arm': {
    when: 'as plot.slices-name, for each arm',
    sentence:
      '{arm}: {slices} slices with a median of {typical}; {stalls} stalled (more than 8 times that), and the longest took {longest}.',
  },
  'plot.slices-median': {
    when: 'below the plot of the median session',
    sentence: 'Session {session}{attempt}, the one whose change is the median: time of an operation in every slice.',
  },
  'plot.slices-extreme': {
    when: 'below the plot of the session that is furthest from the median',
    sentence:
      'Session {session}{attempt}, the one whose change lies furthest from the median: time of an operation in every slice.',
  },
  'plot.slices-stalls': {
    when: 'as plot.slices-median, where slices stalled',
    sentence: 'Stalls stand at the upper edge, however long they were.',
  },
  'plot.slices-beyond': {
    when: 'as plot.slices-median, where slices lie beyond the axis',
    sentence:
      'The axis spans the middle 98 % of the slices, and as much again to either side: dots at its edges are {slices} slices that lie further out.',
  },
  'plot.slices-thinned': {
    when: 'as plot.slices-median, where there are too many slices for a plot',
    sentence:
      'One quad of every {every} is drawn, and at most 300 stalls of an arm; the file of slices has all of them.',
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
