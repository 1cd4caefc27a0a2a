/** Sentences on results that were measured elsewhere: what is known of them, and what no interval of theirs covers. */
export const IMPORT_RULES = {
  'imported.when': { when: 'results were imported', sentence: 'imported {time}, measured elsewhere' },
  'imported.pairs': {
    when: 'as imported.when',
    sentence:
      '{complete} of {planned} {blocks} of repetitions, measured elsewhere with {tool}, and paired in the order of the files.',
  },
  'imported.order-unknown': {
    when: 'as imported.pairs, where nothing says that the sides ran in turns',
    sentence:
      'THE ORDER OF THE SIDES WAS NOT UNDER CONTROL: what drifted on the machine between them is in every change.',
  },
  'imported.order-said': {
    when: 'as imported.pairs, where --interleaved was given',
    sentence: 'That the sides ran in turns is the word of whoever imported them.',
  },
  'imported.order-shown': {
    when: 'as imported.pairs, where the times in the files say so',
    sentence: 'The times in the files show that the sides ran in turns.',
  },
  'imported.unit-process': {
    when: 'as imported.pairs, of a tool that starts a process for each repetition',
    sentence: 'Each repetition is a process of its own.',
  },
  'imported.unit-file': {
    when: 'as imported.pairs, of other tools, where a side has several files',
    sentence: 'A repetition is a file: the mean of what it has.',
  },
  'imported.unit-shared': {
    when: 'as imported.pairs, of other tools, where each side has one file',
    sentence: 'THE REPETITIONS OF A SIDE SHARE ONE PROCESS: their spread leaves out what differs between processes.',
  },
  'imported.scope': {
    when: 'imported results have an interval',
    sentence:
      'The {level} interval covers what varied between these {blocks} of repetitions. It does not cover other machines, new builds of the same sources, or other workloads; on which machine and with which builds they were measured is not known here.',
  },
  'imported.scope-uncontrolled': {
    when: 'as imported.scope, where the order of the sides was not under control or repetitions share a process',
    sentence:
      'The {level} interval holds only for what did not change between the sides. It does not cover drift of the machine from one side to the other, what differs between processes where repetitions share one, other machines, new builds of the same sources, or other workloads; no verdict is read from it.',
  },
  'imported.machine': {
    when: 'results were imported',
    sentence: 'not known: the results were measured elsewhere.',
  },
  'imported.timed': {
    when: 'results were imported',
    sentence: 'What is timed is what {tool} times. Assay ran nothing.',
  },
  'rejected.imported': {
    when: 'results were imported',
    sentence: 'none: an import leaves out only what has no partner.',
  },
  'imported.title': { when: 'in the scope of a title, where results were imported', sentence: 'imported results' },
  'imported.title-uncontrolled': {
    when: 'as imported.title, where the order of the sides was not under control or repetitions share a process',
    sentence: 'imported results, order or processes not under control',
  },
  'scope.imported': {
    when: 'as scope.fresh, where results were imported',
    sentence: '{level} intervals over {blocks} of imported repetitions',
  },
  'imported.arm': { when: 'for each side of an import', sentence: '{name} is {files}' },
  'imported.arm-reference': { when: 'as imported.arm, for the reference', sentence: '{name} (reference) is {files}' },
} as const;
