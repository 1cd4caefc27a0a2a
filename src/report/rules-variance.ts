/** What is said of studies of variance, and of the runs of a benchmark that make one. */
export const VARIANCE_RULES = {
  'variance.what': {
    when: 'a study of variance is told; always',
    sentence:
      'Coefficient of variation of {metric}: {deviation} standard deviation ({divisor} in the denominator) / mean, over the repetitions of each step.',
  },
  'variance.extent': {
    when: 'as variance.what',
    sentence: '{setups} in {files}; steps {steps}; {workloads}; limit {limit}.',
  },
  'variance.good': {
    when: 'a set-up has all its coefficients at or below the limit',
    sentence: 'These have no coefficient above {limit} in any step of {workloads}, and no repetition that is missing.',
  },
  'variance.good-none': {
    when: 'no set-up has',
    sentence: 'No set-up has all its coefficients at or below {limit}.',
  },
  'variance.good-unknown': {
    when: 'no set-up has a coefficient of every step',
    sentence:
      'Nothing can be said yet: no set-up has two values of every step, so that none has a largest coefficient to hold against {limit}.',
  },
  'variance.good-rule': {
    when: 'after both',
    sentence:
      'This is the published point rule, applied to what was found; it is not an inference: another few repetitions may put a set-up on the other side.',
  },
  'variance.interval': {
    when: 'set-ups are ranked; always',
    sentence:
      'interval: {level} interval of that coefficient, with the sample deviation (Vangel 1996); it does not know that the step was picked as the worst.',
  },
  'variance.pair-spread': {
    when: 'as variance.interval',
    sentence:
      'pair spread: that of ln(b/a) over pairs of processes, about √2 times the sample coefficient where both halves vary as these repetitions did.',
  },
  'variance.find': {
    when: 'as variance.interval',
    sentence:
      'find: the smallest change in that step that {pairs} pairs find with a chance of 80 % (two-sided test at 5 %); planned: the same with the spread at its upper 80 % bound, which a plan should count on: so few values show a spread badly.',
  },
  'variance.drift': {
    when: 'drift over repetitions is told; always',
    sentence:
      'change: last / first, the geometric mean over set-ups and workloads, with its t interval over them. rising, falling: in how many of those with three repetitions or more every one was above, or below, the one before; by chance: how many of both would be.',
  },
  'variance.drift-wide': {
    when: 'the interval of a drift reaches below a tenth, or above ten times',
    sentence: 'too wide: it reaches below a tenth, or above ten times, which says nothing.',
  },
  'variance.drift-short': {
    when: 'a step has three repetitions in no set-up and workload',
    sentence:
      'Where nothing is counted there are two repetitions: one is above the other whatever drifts, and nothing can be said of an order.',
  },
  'variance.apart-one': {
    when: 'two set-ups with the same number of threads can be told apart',
    sentence:
      '{threads}: {better} repeats better than {worse}: the spread there is {times} times as large [{low}, {high}], {p}, over {steps} steps',
  },
  'variance.apart-threes': {
    when: 'every step has three values',
    sentence:
      'With three values each, two coefficients of a single step differ detectably (5 %) only where one is 6.2 times the other.',
  },
  'variance.apart-none': {
    when: 'no two set-ups can be compared',
    sentence:
      'No two set-ups with the same number of threads have three steps in common, or there are more than a thousand pairs: none are compared.',
  },
  'variance.apart': {
    when: 'set-ups are compared',
    sentence:
      'All steps together say more: of {pairs} of set-ups with the same number of threads, {told} can be told apart (5 %, Holm over all pairs), and {others} cannot: there, the ranks above may be chance.',
  },
  'variance.apart-assumes': {
    when: 'as variance.apart-one',
    sentence:
      'This takes logarithms of values for normal and the steps of a repetition for independent of each other; where they are not, it tells too many apart (docs/studies.md).',
  },
  'variance.beside': {
    when: 'the engine has said what its tree and its work were',
    sentence:
      'Means over the repetitions: of {metric}, whose coefficients these are, and of what else the engine says, which is no part of them; no judgement rests on it.',
  },
  'variance.levels': {
    when: 'as variance.beside, for each column',
    sentence: 'levels: that hold files after the step.',
  },
  'variance.tree_size': {
    when: 'as variance.levels',
    sentence: 'tree: bytes of all files of the tree after the step, as compression leaves them.',
  },
  'variance.write_amplification': {
    when: 'as variance.levels',
    sentence:
      'write amp.: written into the tree (as compression leaves it) / put into the database, until compactions had caught up; a flush is counted once, and the log is not in it. Left out where the engine prints it too coarsely.',
  },
  'variance.stalled_share': {
    when: 'as variance.levels',
    sentence: 'stalled: how long writers were held back / the time of the step.',
  },
  'variance.cpu_per_operation': {
    when: 'as variance.levels',
    sentence: 'CPU/op: CPU time of the whole process, with opening, flushes and compactions, / operations of the step.',
  },
  'variance.plan-run': {
    when: 'before a benchmark runs',
    sentence:
      'Set-up {setup}: {steps}, in {repetitions} repetitions of {workloads}, with {threads}; {duration} for each step but the load, {total} in all, and on top of that loads and waits for compactions.',
  },
  'variance.plan-place': {
    when: 'as variance.plan-run',
    sentence:
      '{program} runs on this machine ({machine}). Databases are made in {data} (storage: {storage}), one at a time: about {room}.',
  },
  'variance.plan-limit': {
    when: 'as variance.plan-run',
    sentence:
      'A step that has not ended after {timed} (the load after {load}) is taken to hang: it is ended, and the run stops there.',
  },
  'variance.plan-steps': {
    when: 'as variance.plan-run',
    sentence:
      'Steps in their order: {steps}. Every repetition loads its databases anew; after a step that writes, compactions catch up before the next one begins. The seed of each step is another.',
  },
} as const;
