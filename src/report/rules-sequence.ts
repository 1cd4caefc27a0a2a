/** Sentences on the looks of a sequential run. */
export const SEQUENCE_RULES = {
  'sequence.lead': {
    when: 'a run was sequential, for each primary metric that has a change',
    sentence:
      '{subject}: {looks}, each at equal counts of both orders, at most until {max} {blocks}. The intervals are the {level} confidence sequence; the verdict is read from the last.',
  },
  'sequence.thinned': {
    when: 'as sequence.lead, where not all looks are listed',
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
