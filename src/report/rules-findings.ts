/** Sentences on what was found: verdicts in full, in a table, and as a title. */
export const FINDING_RULES = {
  'finding.beyond': {
    when: 'the whole interval lies beyond zero and no threshold was set',
    sentence: '{subject} is {word}: {change} {interval}, {agreeing} of {pairs}',
  },
  'finding.beyond-threshold': {
    when: 'the whole interval lies beyond the threshold',
    sentence: '{subject} is {word} by more than {threshold}: {change} {interval}, {agreeing} of {pairs}',
  },
  'finding.exact': {
    when: 'every trial of an arm gave the same value, and the two values differ',
    sentence: '{subject} is {word}: {change}, exact ({reference_mean} and {arm_mean} in all {pairs})',
  },
  'finding.same': {
    when: 'every trial of both arms gave the same value, and no margin was set',
    sentence:
      '{subject} had one value in every trial of both arms: {reference_mean}, {pairs}; without a margin that is inconclusive',
  },
  'finding.equivalent': {
    when: 'a margin was set and the interval for equivalence lies inside it',
    sentence:
      '{subject} is equivalent within the margin of {margin}: {change} {interval}, {pairs}; the {equivalence_level} interval {equivalence_interval} lies inside the margin',
  },
  'finding.equivalent-exact': {
    when: 'every trial of an arm gave the same value, and the change lies inside the margin',
    sentence: '{subject} is equivalent within the margin of {margin}: {change}, exact, {pairs}',
  },
  'finding.measurably': {
    when: 'as equivalent, but the interval excludes zero',
    sentence:
      '{subject} is measurably {word} by {size} {interval}, within the margin of {margin}: {agreeing} of {pairs}; the {equivalence_level} interval {equivalence_interval} lies inside the margin',
  },
  'finding.inconclusive': {
    when: 'the interval decides nothing',
    sentence: '{subject} is inconclusive: {change} {interval}, {pairs}; {reason}',
  },
  'finding.inconclusive-exact': {
    when: 'the interval decides nothing, and there is none because every trial of an arm gave the same value',
    sentence: '{subject} is inconclusive: {change}, exact, {pairs}; {reason}',
  },
  'finding.none': {
    when: 'there is no effect to judge',
    sentence: '{subject} has no verdict: {reason}',
  },
  'finding.invalid': {
    when: 'the run is invalid, and an effect could be computed all the same',
    sentence: '{subject} has no valid result: {reason}',
  },
  'finding.detectable': {
    when: 'after an inconclusive finding, where the spread of the pairs is known',
    sentence: '{pairs} of this spread find a change of {detectable} in 4 of 5 runs.',
  },
  'finding.layout': {
    when: 'after a finding whose interval is not wholly beyond the layout floor',
    sentence: 'That may be no larger than a rebuild moves (layout floor {floor}).',
  },
  'title.beyond': {
    when: 'as finding.beyond; the title of report.md, as all that begin so',
    sentence: '{metric} is {word} in {arm} than in {reference}: {change} {interval} ({scope})',
  },
  'title.beyond-threshold': {
    when: 'as finding.beyond-threshold',
    sentence: '{metric} is {word} by more than {threshold} in {arm} than in {reference}: {change} {interval} ({scope})',
  },
  'title.exact': {
    when: 'as finding.exact',
    sentence: '{metric} is {word} in {arm} than in {reference}: {change}, exact ({scope})',
  },
  'title.equivalent': {
    when: 'as finding.equivalent',
    sentence: '{metric} is equivalent within {margin} in {arm} and {reference}: {change} {interval} ({scope})',
  },
  'title.equivalent-exact': {
    when: 'as finding.equivalent-exact',
    sentence: '{metric} is equivalent within {margin} in {arm} and {reference}: {change}, exact ({scope})',
  },
  'title.measurably': {
    when: 'as finding.measurably',
    sentence:
      '{metric} is measurably {word} in {arm} than in {reference}, within the margin of {margin}: {change} {interval} ({scope})',
  },
  'title.inconclusive': {
    when: 'as finding.inconclusive',
    sentence: '{metric} of {arm} against {reference} is inconclusive: {change} {interval} ({scope})',
  },
  'title.inconclusive-exact': {
    when: 'as finding.same and finding.inconclusive-exact',
    sentence: '{metric} of {arm} against {reference} is inconclusive: {change}, exact ({scope})',
  },
  'title.none': {
    when: 'as finding.none',
    sentence: '{metric} of {arm} against {reference} has no verdict ({scope})',
  },
  'title.several': {
    when: 'several comparisons are primary',
    sentence: '{findings} ({scope})',
  },
  'title.several-one': { when: 'as title.several, for each of them', sentence: '{subject} {word}' },
  'title.arms': {
    when: 'as title.several, where there are more than two arms',
    sentence: '{findings}, each against {reference} ({scope})',
  },
  'title.arms-metric': { when: 'as title.arms, for each metric', sentence: '{metric}: {arms}' },
  'title.arms-one': { when: 'as title.arms-metric, for each arm', sentence: '{arm} {word}' },
  'scope.arms': { when: 'below the title', sentence: '{arm} against {reference}' },
  'scope.several': { when: 'as scope.arms, of more than two arms', sentence: '{arms}, each against {reference}' },
  'scope.fresh': {
    when: 'as scope.arms, where there is an effect',
    sentence: '{level} intervals over {blocks} of fresh processes',
  },
  'scope.sequential': {
    when: 'as scope.fresh, where the number was not fixed',
    sentence: '{level} confidence sequences over {blocks} of fresh processes, looked at as they came',
  },
  'scope.builds': {
    when: 'as scope.fresh, where each arm was built several times',
    sentence: '{level} intervals over builds',
  },
  'opening.uncounted': {
    when: 'at the head of a report, where the confirmation ran without counters too',
    sentence: 'Without counters {metric} of {arm} changes by {change} {interval}, {agreeing} of {pairs}.',
  },
  'opening.warnings': { when: 'at the head of a report that has warnings', sentence: '{warnings}: {codes}.' },
  'title.invalid': { when: 'the run is invalid', sentence: 'Invalid run: {title}' },
  'title.incomplete': { when: 'the run is incomplete', sentence: 'Incomplete run: {title}' },
  'title.layout': {
    when: 'in the scope of a title, as finding.layout',
    sentence: 'may be no larger than a rebuild moves',
  },
  'cell.beyond': { when: 'as finding.beyond', sentence: '{word}' },
  'cell.beyond-threshold': { when: 'as finding.beyond-threshold', sentence: '{word} by more than {threshold}' },
  'cell.same': { when: 'as finding.same', sentence: 'inconclusive; one value throughout' },
  'cell.equivalent': { when: 'as finding.equivalent', sentence: 'equivalent within {margin}' },
  'cell.measurably': {
    when: 'as finding.measurably',
    sentence: 'measurably {word} by {size}, within {margin}',
  },
  'cell.inconclusive': { when: 'as finding.inconclusive', sentence: 'inconclusive' },
  'cell.inconclusive-detectable': {
    when: 'as finding.inconclusive, where the spread of the pairs is known',
    sentence: 'inconclusive; could see {detectable}',
  },
  'cell.none': { when: 'as finding.none', sentence: 'no verdict' },
  'cell.invalid': { when: 'as finding.invalid', sentence: 'invalid' },
} as const;
