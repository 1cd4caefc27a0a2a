/**
 * The sentences of all reports, each by the rule that calls for it. Words in braces are filled in. docs/wording.md is
 * made from this table. No sentence may claim more than an interval supports: none says what caused a change, and a wide
 * interval is never told as a small change.
 */
export const RULES = {
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
      '{subject} is measurably {word} by {size}, within the margin of {margin}: {change} {interval}, {agreeing} of {pairs}; the {equivalence_level} interval {equivalence_interval} lies inside the margin',
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
  'state.invalid': {
    when: 'a trial failed, a subject changed, or too much was rejected',
    sentence: 'The run is invalid, and its numbers decide nothing: {reason}',
  },
  'state.incomplete': {
    when: 'the plan has not been run to its end',
    sentence:
      'The run is incomplete: {complete} of {planned} planned {blocks} are done. What stands here is not its result.',
  },
  'state.counting': {
    when: 'the plan has not been run to its end, and what is missing are counts of instructions',
    sentence:
      'The run is incomplete: all {planned} planned {blocks} are done, but not all counts of instructions. What stands here is not its result.',
  },
  'state.disk': {
    when: 'as state.incomplete, where the trials that were left would not have fitted on the disk',
    sentence: 'It ended early: {reason}',
  },
  'state.go-on': {
    when: 'as state.incomplete, where the run has a directory',
    sentence: 'To go on: {command}',
  },
  'note.primary': { when: 'always', sentence: '* primary: the verdict of the run is read from it.' },
  'note.means': {
    when: 'there is a change of a ratio metric',
    sentence: 'Values are arithmetic means; a change is the geometric mean of the ratios within {blocks}.',
  },
  'note.levels': {
    when: 'an interval stands at a step level of Holm',
    sentence:
      'Each interval of a primary metric stands at its step of the Holm procedure, so that interval and verdict agree; the intervals are not simultaneous.',
  },
  'note.reason': { when: 'a row has no verdict or is inconclusive', sentence: '{subject}: {reason}.' },
  'note.stratified': {
    when: 'rejections left more pairs of one order than of the other',
    sentence: '{subject}: the pairs are not equally many in both orders, so the change is the mean of the two orders.',
  },
  'note.per': {
    when: 'values are divided by a count of operations',
    sentence: '{subject}: per operation, of {count} in a trial.',
  },
  'note.many-fold': {
    when: 'a change is beyond +900 %',
    sentence: '{subject}: {factor} times the reference.',
  },
  'note.no-counters': {
    when: 'the experiment has counters, and no trial could be counted',
    sentence: '{kind} counters: not available: {reason}.',
  },
  'basis.counters': {
    when: 'trials were counted',
    sentence: '{kind} counters {scope}, {space}; they ran for {share} of the time.',
  },
  'count.exact': {
    when: 'all counts of each arm were alike, and those of the two arms differ',
    sentence:
      '{arm} executes {size} {more} {instructions} {each} than {reference} ({repeats} counts of each, all alike).',
  },
  'count.range': {
    when: 'counts of an arm differ from each other, and the range of the difference excludes zero',
    sentence:
      '{arm} executes between {low} and {high} {more} instructions {each} than {reference} (the range of {repeats} counts of each).',
  },
  'count.same': {
    when: 'all counts of both arms were alike',
    sentence:
      'The counts of {arm} and {reference} do not differ: {value} {instructions} {each} ({repeats} counts of each, all alike).',
  },
  'count.within': {
    when: 'counts of an arm differ from each other, and the range of the difference includes zero',
    sentence:
      '{arm} against {reference}: the difference lies within the range of the repeats, {low} to {high} instructions {each} ({repeats} counts of each).',
  },
  'count.wide': {
    when: 'as count.range, where the counts of one arm lie further apart than the difference',
    sentence:
      'The counts of {arm} alone lie {width} instructions {each} apart, which is more than the difference between the arms.',
  },
  'count.opposite': {
    when: 'the range of a count excludes zero, the interval of a primary time too, and one is more, the other less',
    sentence:
      'Count and time point in opposite directions: {arm} executes {more} instructions, but {metric} changes by {change} {interval}.',
  },
  'count.no-time': {
    when: 'instructions were counted',
    sentence:
      'A count of instructions is no time: instructions differ in what they cost, and waiting costs time without any.',
  },
  'count.brackets': {
    when: 'counts of an arm differ from each other, and stand beside a time',
    sentence:
      'In brackets: of a time its {level} interval, of a count the range of its repeats, which is no confidence interval.',
  },
  'count.brackets-alone': {
    when: 'counts of an arm differ from each other, and stand alone',
    sentence: 'In brackets: the range of the repeats, which is no confidence interval.',
  },
  'count.how-region': {
    when: 'a region was counted',
    sentence:
      'Counted by {tool} in {repeats} trials of each arm after the timed ones, addresses fixed, only in calls of {region}.',
  },
  'count.how-process': {
    when: 'the whole process was counted',
    sentence:
      'Counted by {tool} in {repeats} trials of each arm after the timed ones, addresses fixed, from start to end of the process.',
  },
  'count.operations': { when: 'the number of operations is known', sentence: 'A counted trial has {operations}.' },
  'count.params': {
    when: 'the counted trials had other parameters than the timed ones',
    sentence: 'Counted with {params}.',
  },
  'count.not-counted-region': {
    when: 'a region was counted',
    sentence:
      'Not counted: the kernel, other threads, what lies outside of the region, and misses of caches and branches.',
  },
  'count.not-counted-process': {
    when: 'the whole process was counted',
    sentence: 'Not counted: the kernel, other processes, and misses of caches and branches.',
  },
  'count.functions': {
    when: 'functions differ by more than the range of their own counts',
    sentence: 'Functions that account for it, by self cost (without what they call), in instructions {each}:',
  },
  'count.functions-none': {
    when: 'the counts of the arms differ, and those of no function do so beyond their own range',
    sentence: 'No function differs by more than the range of its own counts.',
  },
  'count.absent': {
    when: 'a function was counted in one arm only',
    sentence: '-: no function of this name was counted in that arm; it may have been inlined or renamed.',
  },
  'basis.timed': {
    when: 'drivers say what they time, all arms the same',
    sentence: 'Timed, as the driver says: {what}.',
  },
  'basis.timed-arm': {
    when: 'drivers say what they time, and not all arms the same',
    sentence: 'Timed in {arm}, as its driver says: {what}.',
  },
  'basis.no-claim': {
    when: 'drivers say what their numbers are no claim about, all arms the same',
    sentence: 'This is not a claim about: {what} (as the driver says).',
  },
  'basis.no-claim-arm': {
    when: 'drivers say what their numbers are no claim about, and not all arms the same',
    sentence: 'For {arm} this is not a claim about: {what} (as its driver says).',
  },
  'basis.arm': { when: 'for each arm that was prepared', sentence: '{name} is {what}' },
  'basis.arm-reference': { when: 'as basis.arm, for the reference', sentence: '{name} (reference) is {what}' },
  'basis.machine': {
    when: 'always',
    sentence: '{cpu}, {cpus}, {kind}; frequency governor {governor}; trials on {file_system}; subject {pinned}.',
  },
  'basis.scope': {
    when: 'there is an interval, and the run is valid',
    sentence:
      'The {level} interval covers what varied between {blocks} on this one machine during this run, with these {count} artefacts. It does not cover other machines, new builds of the same sources, or other workloads.',
  },
  'basis.constructed': {
    when: 'the experiment says that its workload is constructed',
    sentence: 'The workload is constructed for the purpose: what share of any real load looks like it is not known.',
  },
  'basis.pairs': {
    when: 'there are two arms',
    sentence:
      '{complete} of {planned} planned pairs, each of two processes run one after the other; which arm goes first is drawn from seed {seed}, for half of the planned pairs each.',
  },
  'basis.blocks': {
    when: 'there are more than two arms',
    sentence:
      '{complete} of {planned} planned blocks, each of {arms} processes run one after the other; their orders are Williams squares drawn from seed {seed}. A change is taken within a block.',
  },
  'basis.checks-passed': {
    when: 'every check passed',
    sentence: '{made} in {trials}, none failed ({names}).',
  },
  'basis.checks-failed': {
    when: 'a check failed',
    sentence: '{made} in {trials}, {failed} failed ({names}).',
  },
  'basis.checks-none': {
    when: 'the experiment has no check',
    sentence: 'none were made in {trials}: whether the arms did the same work is not known.',
  },
  'basis.screening': {
    when: 'there was a screening',
    sentence: '{pairs} before the confirmation, for planning; none of them is part of the numbers above.',
  },
  'basis.again': { when: 'the run has a directory', sentence: '{command}' },
  'rejected.none': {
    when: 'rules of rejection stood and nothing met them',
    sentence: 'none; rules that stood before the run: {rules}.',
  },
  'rejected.no-rules': {
    when: 'the experiment has no rules of rejection',
    sentence: 'none: the experiment has no rules of rejection.',
  },
  'rejected.some': {
    when: 'trials were rejected',
    sentence:
      '{trials} rejected by rules that stood before the run; {share} of the planned {blocks} were rejected at least once. A repeat keeps the order of its {block}.',
  },
  'rejected.by-arm': {
    when: 'as rejected.some',
    sentence: 'By arm: {counts}.',
  },
  'rejected.by-arm-test': {
    when: 'as rejected.some, where the counts can be tested',
    sentence: 'By arm: {counts} (exact test of equal shares: {p}).',
  },
  'rejected.row': {
    when: 'for each rejected trial',
    sentence: '{block}, attempt {attempt}, {arm}: {fact} {value}, limit {limit}',
  },
  'code.same-file': {
    when: 'an arm and the reference run the same file',
    sentence: '{subject}: the same file in both: these two programs are the same.',
  },
  'code.same': {
    when: 'machine code and data of two files are the same',
    sentence: '{subject}: machine code (.text) and data are the same: these two programs are the same.',
  },
  'code.same-text': {
    when: 'the machine code of two files is the same, and their data are not',
    sentence: '{subject}: the machine code (.text) is the same; constants or other data differ.',
  },
  'code.same-functions': {
    when: 'every function has the same instructions, addresses aside',
    sentence: '{subject}: all {functions} have the same instructions; only addresses differ.',
  },
  'code.differ': {
    when: 'functions differ',
    sentence: '{subject}: {differ} of {functions} differ{only}.',
  },
  'code.only': {
    when: 'as code.differ, where functions are there on one side only',
    sentence: '; {in_arm} only in {arm}, {in_reference} only in {reference}',
  },
  'code.unknown': {
    when: 'machine code differs, and its functions were not compared',
    sentence: '{subject}: the machine code (.text) differs; which functions is not known.',
  },
  'code.no-symbols': {
    when: 'machine code differs, and there are no symbols',
    sentence: '{subject}: the machine code (.text) differs; there are no symbols, so functions cannot be named.',
  },
  'code.exported': {
    when: 'functions were compared, and a symbol table was stripped',
    sentence: 'Symbols were stripped: only exported functions have names here.',
  },
  'code.named-same': {
    when: 'the experiment names a function, and its instructions are the same',
    sentence: '{name}: the same instructions in both.',
  },
  'code.named-differ': {
    when: 'the experiment names a function, and its instructions differ',
    sentence: '{name}: differs ({reference_bytes} in {reference}, {arm_bytes} in {arm}).',
  },
  'code.rest': {
    when: 'more functions differ than are listed',
    sentence: 'And {rest} more.',
  },
  'code.files': {
    when: 'disassemblies were kept',
    sentence: 'Both disassemblies side by side, without addresses: {files} in {folder}.',
  },
  'code.note': {
    when: 'functions differ',
    sentence: 'That code differs does not say which of it a difference in time comes from.',
  },
  'interrupted.gap': {
    when: 'the halves of a pair lay too far apart',
    sentence: '{block}, attempt {attempt}: too long between its trials; repeated whole in its place.',
  },
  'interrupted.resumed': {
    when: 'a run was stopped within a pair and resumed',
    sentence: '{block}, attempt {attempt}: the run was stopped in it and resumed; repeated whole in its place.',
  },
  'interrupted.dropped': {
    when: 'a journal ended in a torn line',
    sentence: 'Resumed {time}: a torn last line of {bytes} was dropped from the journal.',
  },
} as const;

type RuleKey = keyof typeof RULES;

/** The words in braces of a sentence. */
type Blanks<S extends string> = S extends `${string}{${infer Blank}}${infer Rest}` ? Blank | Blanks<Rest> : never;

type Words<K extends RuleKey> = Readonly<Record<Blanks<(typeof RULES)[K]['sentence']>, string>>;

/** The sentence of rule `key`, its blanks filled with `words` as they stand; what is filled in is not read again. */
export function say<K extends RuleKey>(key: K, words: Words<K>): string {
  const filled: Readonly<Record<string, string>> = words;
  return RULES[key].sentence.replace(/\{(\w+)\}/g, (blank, name: string) => filled[name] ?? blank);
}
