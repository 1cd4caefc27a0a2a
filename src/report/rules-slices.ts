/** Sentences on effects that were taken from slices. */
export const SLICE_RULES = {
  'subject.typical-slice': {
    when: 'a metric made of slices is slower or faster, and the total is not beyond the threshold on the same side',
    sentence: '{metric} (typical slice)',
  },
  'note.slice-total': {
    when: 'an effect was taken from slices',
    sentence:
      '{subject}: the change is that of the typical slice; all that the arms took for their operations, rare expensive slices with it, changed by {change} {interval}.',
  },
  'note.slice-variance': {
    when: 'as note.slice-total, and sessions have enough slices to tell',
    sentence:
      '{subject}: the effect of a session spreads by {between} from session to session, and by {within} from the noise of the slices within one (standard deviations; {quads} quads a session, a slice of {slice}, set-up and verification {setup} a session).',
  },
  'note.slice-buys': {
    when: 'as note.slice-variance, with an interval for a fixed number of sessions',
    sentence:
      '{subject}: half the width of the interval is {now}; twice as many sessions would make that about {more}, sessions twice as long about {longer}.',
  },
  'note.slice-best': {
    when: 'as note.slice-variance, and both parts of the spread can be seen',
    sentence: '{subject}: in a given time, sessions of about {best} quads would give the narrowest interval.',
  },
} as const;
