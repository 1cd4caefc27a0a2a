/** Sentences on calibrations: one that a run cites, and a run that is one itself. */
export const CALIBRATION_RULES = {
  'calibration.cited': {
    when: 'this machine and workload had been calibrated when the run began; for each primary metric',
    sentence:
      '{metric}: calibrated on {time} ({title}): {excluded} of {runs} of {pairs} excluded zero, a rate of {low} to {high} where {nominal} is nominal; spread of a {unit} {spread}.',
  },
  'calibration.other-rule': {
    when: 'after those, where the runs of the calibration were not judged as this one: at one number of pairs, or by a sequence',
    sentence:
      'Those A/A runs were judged {theirs}, this run {own}: how often it would exclude zero is not known from them.',
  },
  'calibration.is-same': {
    when: 'the run is the A/A part of a calibration',
    sentence:
      'This is a calibration: {runs} runs of {pairs}, each of {reference} against itself. What stands here is all of them taken together; {command} tells what each found.',
  },
  'calibration.is-known': {
    when: 'the run is that part of a calibration which compares an arm of known cost',
    sentence:
      'This is a calibration: {runs} runs of {pairs}, each of {reference} against {arm}, whose cost is known. What stands here is all of them taken together; {command} tells what each found.',
  },
} as const;
