/**
 * The sentences of all reports, each by the rule that calls for it. Words in braces are filled in. docs/wording.md is
 * made from this table. No sentence may claim more than an interval supports: none but those on ablations says what
 * contributes to a change, and a wide interval is never told as a small change.
 */
import { BESIDE_RULES } from './rules-beside.ts';
import { CALIBRATION_RULES } from './rules-calibration.ts';
import { COUNT_RULES } from './rules-counts.ts';
import { DEVICE_RULES } from './rules-device.ts';
import { ENGINE_RULES } from './rules-engines.ts';
import { FINDING_RULES } from './rules-findings.ts';
import { IMPORT_RULES } from './rules-imported.ts';
import { PLOT_RULES } from './rules-plots.ts';
import { SEQUENCE_RULES } from './rules-sequence.ts';
import { SLICE_RULES } from './rules-slices.ts';
import { VARIANCE_RULES } from './rules-variance.ts';

export const RULES = {
  ...FINDING_RULES,
  ...IMPORT_RULES,
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
  'state.beside': {
    when: 'the plan has not been run to its end, and what is missing stands beside the confirmation',
    sentence:
      'The run is incomplete: all {planned} planned {blocks} are done, but not all trials of controls and comparisons beside them. What stands here is not its result.',
  },
  'state.disk': {
    when: 'as state.incomplete, where the trials that were left would not have fitted on the disk',
    sentence: 'It ended early: {reason}',
  },
  'state.go-on': {
    when: 'as state.incomplete, where the run has a directory',
    sentence: 'To go on:',
  },
  'state.go-on-calibration': {
    when: 'as state.go-on, where the run is the A/A part of a calibration; which arm of known cost follows is not on record',
    sentence: 'To go on, with --known and --arm where they were given:',
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
  'note.levels-sequential': {
    when: 'as note.levels, where the run was sequential',
    sentence:
      'Each primary metric has a confidence sequence at a level of its own, so that all of them hold at once with {level}.',
  },
  'note.reason': { when: 'a row has no verdict or is inconclusive', sentence: '{subject}: {reason}.' },
  'note.stratified': {
    when: 'rejections left more pairs of one order than of the other',
    sentence:
      '{subject}: the {blocks} are not equally many in both orders, so the change is the mean of the two orders.',
  },
  'note.per': {
    when: 'values are divided by a count of operations',
    sentence: '{subject}: per operation, of {count} in a trial.',
  },
  'note.per-other': {
    when: 'as note.per, where the driver declares another number of operations',
    sentence: '{subject}: divided by {count}, WHICH IS NOT HOW MANY OPERATIONS THE DRIVER SAYS THAT IT DID.',
  },
  'note.many-fold': {
    when: 'a change is beyond +900 %',
    sentence: '{subject}: {factor} times the reference.',
  },
  'note.layout': {
    when: 'a rebuild was measured, and the whole interval of a change lies beyond what it moved',
    sentence:
      '{subject}: the whole interval lies beyond the layout floor of {floor}, the bound of what rebuilding the same source moved it by in this run. Another build may move it further.',
  },
  'note.layout-within': {
    when: 'as note.layout, and the interval does not lie beyond it',
    sentence:
      '{subject}: may be no larger than a rebuild moves. The interval does not lie beyond the layout floor of {floor}, the bound of what rebuilding the same source moved it by in this run.',
  },
  'note.builds': {
    when: 'each arm was built several times',
    sentence:
      '{subject}: the interval is over {builds} builds of each arm. Their means lie between {lowest} and {highest}; spread within a build {within}, between builds {between}.',
  },
  'note.builds-single': {
    when: 'as note.builds, where each build has one pair',
    sentence:
      '{subject}: the interval is over {builds} builds of each arm, with one pair each. They lie between {lowest} and {highest}.',
  },
  'note.pairs': {
    when: 'a primary metric has a change',
    sentence: '{subject}: smallest {block} {smallest}, largest {block} {largest}.',
  },
  'note.pairs-throughput': {
    when: 'as note.pairs, for the change of a time',
    sentence: '{subject}: smallest {block} {smallest}, largest {block} {largest}; as throughput {throughput}.',
  },
  'note.counter': {
    when: 'a counter is divided by operations, and its interval excludes zero',
    sentence: '{subject}: about {difference} an operation (difference of the means), in {agreeing} of {pairs}.',
  },
  'note.no-counters': {
    when: 'the experiment has counters, and no trial could be counted',
    sentence: '{kind} counters: not available: {reason}.',
  },
  'basis.counters': {
    when: 'trials were counted',
    sentence: '{kind} counters {scope}, {space}; they ran for {share} of the time.',
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
  'workload.braces': {
    when: 'a command is told that has placeholders',
    sentence: 'In braces stands what each arm or trial has of its own.',
  },
  'basis.arm': { when: 'for each arm that was prepared', sentence: '{name} is {what}' },
  'basis.arm-reference': { when: 'as basis.arm, for the reference', sentence: '{name} (reference) is {what}' },
  'basis.arms-alike': {
    when: 'as basis.arm, where all arms run the same command',
    sentence: '{names} run {command}',
  },
  'basis.machine': {
    when: 'always',
    sentence: '{cpu}, {cpus}, {kind}; frequency governor {governor}; trials on {file_system}; subject {pinned}.',
  },
  'basis.interval': {
    when: 'a change of a ratio metric has an interval',
    sentence:
      'Intervals are two-sided {level} Student t intervals on the logarithms of the ratios, unless a level stands beside them.',
  },
  'basis.interval-sequential': {
    when: 'as basis.interval, where the number of pairs was not fixed',
    sentence:
      'Intervals are confidence sequences (anytime-valid t, c² = {c2}) on the logarithms of the ratios, at {level} unless a level stands beside them: they hold however often one looks, and are wider than intervals of a fixed number of {blocks}.',
  },
  'basis.interval-builds': {
    when: 'as basis.interval, where each arm was built several times',
    sentence:
      'Intervals are two-sided {level} Student t intervals over the means of the builds, on the logarithms of the ratios, unless a level stands beside them.',
  },
  'basis.scope': {
    when: 'there is an interval, and the run is valid',
    sentence:
      'The {level} interval is within-host: it covers what varied between {blocks} on this one machine during this run, with these {count} {artefacts}. It does not cover other machines, new builds of the same sources, or other workloads.',
  },
  'basis.scope-builds': {
    when: 'as basis.scope, where each arm was built several times',
    sentence:
      'The {level} interval is within-host: it covers what varied between {blocks} and between these {builds} builds of each side, on this one machine during this run. It does not cover other machines or other workloads.',
  },
  'basis.revisions': {
    when: 'arms are revisions of a repository',
    sentence: 'These revisions were tested: nothing is said of all releases that carry the same version number.',
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
  'basis.sessions': {
    when: 'the arms work in turns',
    sentence:
      '{complete} of {planned} planned sessions. In each, two processes, one of each arm, live side by side on one CPU and work in turns, in slices of about {slice}: quads ABBA or BAAB by a coin drawn from seed {seed}, of as many operations for each arm. Which starts first is drawn, for half of the planned sessions each.',
  },
  'basis.sessions-sequential': {
    when: 'the arms work in turns, and the number of sessions was not fixed',
    sentence:
      '{complete} of at most {planned} sessions. In each, two processes, one of each arm, live side by side on one CPU and work in turns, in slices of about {slice}: quads ABBA or BAAB by a coin drawn from seed {seed}, of as many operations for each arm. Which starts first is drawn. The run was sequential: from {min} sessions on it was looked at whenever both had started first equally often, {ended}.',
  },
  'basis.pairs-sequential': {
    when: 'there are two arms, and the run ended as soon as it was decided',
    sentence:
      '{complete} pairs, each of two processes run one after the other; which arm goes first is drawn from seed {seed}, for half of the pairs each. The run was sequential: from {min} pairs on it was looked at whenever both orders had run equally often, at most until {planned} pairs, and it ended because every primary metric was decided.',
  },
  'basis.pairs-sequential-last': {
    when: 'there are two arms, and a run that may end early did not',
    sentence:
      '{complete} of at most {planned} pairs, each of two processes run one after the other; which arm goes first is drawn from seed {seed}, for half of the pairs each. The run was sequential: from {min} pairs on it was looked at whenever both orders had run equally often, and no look decided every primary metric before the last.',
  },
  'orders.balanced': { when: 'a sentence names the orders of blocks', sentence: 'Williams squares' },
  'orders.mirrored': {
    when: 'as orders.balanced, where the experiment asks for it',
    sentence: 'twos of an order and its reverse',
  },
  'basis.blocks': {
    when: 'there are more than two arms',
    sentence:
      '{complete} of {planned} planned blocks, each of {arms} processes run one after the other; their orders are {orders} drawn from seed {seed}. A change is taken within a block.',
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
  'rejected.none-here': {
    when: 'as rejected.none, where trials of a control or side comparison met them',
    sentence: 'none of the confirmation; rules that stood before the run: {rules}. Beside it:',
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
  'basis.timed-process': {
    when: 'no driver says what is timed',
    sentence:
      'No arm says what it times. Wall time, CPU time and peak memory are those of the whole process, from its start to its end; other metrics are what the programs print.',
  },
  'basis.timed-slices': {
    when: 'the arms work in turns, and no driver says what is timed',
    sentence:
      'Times of slices are those of the operations that a driver was asked for, as the driver took them: set-up, preludes, rests and verification are in none of them. Wall time, CPU time and peak memory are those of the whole process; other metrics are what the programs print.',
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
  'interrupted.lead': { when: 'blocks were interrupted', sentence: 'Interrupted (not counted as rejected):' },
  'companions.lead': { when: 'there is an effect', sentence: 'None of these decides a verdict.' },
  'companions.words': {
    when: 'as companions.lead',
    sentence:
      'The order effect is half the difference between pairs that ran the reference first and pairs that ran it second. {detectable} is the change that a run of this spread finds 4 times in 5.',
  },
  'companions.words-sessions': {
    when: 'as companions.words, where the arms work in turns',
    sentence:
      'The order effect is half the difference between sessions that started the reference first and sessions that started it second. {detectable} is the change that a run of this spread finds 4 times in 5.',
  },
  'trial.shell': { when: 'arms were prepared', sentence: 'For a shell; {meanings}.' },
  'trial.session': {
    when: 'as trial.shell, where the arms work in turns',
    sentence:
      'Each runs a process alone, as a whole trial. In a session it is started with {serve} at the end, and works as it is told (docs/slices.md); {check} plays such a session with one driver.',
  },
  'trial.counted': {
    when: 'instructions were counted',
    sentence:
      'Under valgrind, the instructions of one counted trial are counted again: it prints what it collected, and leaves a profile. Counted trials ran on one CPU.',
  },
  'trial.run': { when: 'a command of a single trial has it', sentence: '{name} is a fresh and empty directory' },
  'trial.group': {
    when: 'a command of a single trial has it',
    sentence:
      '{name} is the directory of a memory group (cgroup) with the limit of the experiment, which the command is to be started in',
  },
  'trial.device-stat': {
    when: 'a command of a single trial has it',
    sentence: '{name} is /sys/block/…/stat of the device that $RUN lies on',
  },
  'trial.arm': { when: 'a command of a single trial has it', sentence: '{name} is the directory of the arm' },
  'trial.driver': {
    when: 'a command of a single trial has it',
    sentence: '{name} is the driver of the arm, as the compile_command under Arms{where} makes it',
  },
  'trial.experiment': {
    when: 'a command of a single trial has it',
    sentence: '{name} is the directory of the experiment file',
  },
  'arms.common': {
    when: 'arms have the same origin or files, but for those that are merely another name of one',
    sentence: 'What all arms have in common',
  },
  'arms.none': { when: 'no arm was prepared', sentence: 'The arms were not prepared.' },
  'warnings.none': { when: 'a report has no warning', sentence: 'None.' },
  'page.made': {
    when: 'at the foot of the page',
    sentence:
      "Made from the run's journal by Assay {version}. Rules and formulas: docs/methods.md of that version. Raw numbers: trials.csv and pairs.csv beside the journal.",
  },
  ...DEVICE_RULES,
  ...ENGINE_RULES,
  ...PLOT_RULES,
  ...COUNT_RULES,
  ...BESIDE_RULES,
  ...SLICE_RULES,
  ...CALIBRATION_RULES,
  ...SEQUENCE_RULES,
  ...VARIANCE_RULES,
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
