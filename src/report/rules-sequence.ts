/** Sentences on the looks of a sequential run. */
export const SEQUENCE_RULES = {
  'sequence.early': {
    when: 'a run was sequential and decided before its end, for each primary metric that has a change',
    sentence:
      '{subject}: the run was sequential, and ended after {blocks} of {max} at most, when every primary metric was decided. There were {looks}, each at equal counts of both orders; the verdict is read from the last. Intervals are the {level} confidence sequence.',
  },
  'sequence.last': {
    when: 'as sequence.early, where the run went on to its end',
    sentence:
      '{subject}: the run was sequential, and no look decided every primary metric before the last one, after {blocks} of {max} at most. There were {looks}, each at equal counts of both orders; the verdict is read from the last. Intervals are the {level} confidence sequence.',
  },
  'sequence.thinned': {
    when: 'as sequence.early, where not all looks are listed',
    sentence: '{listed} of them are listed, results.json has all.',
  },
  'sequence.unbounded': {
    when: 'in place of an interval, where a look was at too few for one',
    sentence: '(no bound yet)',
  },
  'sequence.picture': {
    when: 'in a terminal, above the picture of the looks',
    sentence:
      '{subject}, {looks} until {blocks} ({max} at most), {level} confidence sequence ("o" the change, "|" zero{limit}):',
  },
} as const;
