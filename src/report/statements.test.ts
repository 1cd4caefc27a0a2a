import { expect, test } from 'vitest';
import { countOf, journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ReportInput } from './input.ts';
import { PLAIN } from './plain-text.ts';
import { checksSentence, goOnOf, interruptionsOf, limitSentences, rejectionsOf, stateSentences } from './statements.ts';

const VALUES = { write: { a: [100, 102, 99, 101], b: [110, 111, 112, 109] } };

function inputOf(changes: Partial<Parameters<typeof journalOf>[0]> = {}): ReportInput {
  const journal = journalOf({ values: VALUES, ...changes });
  const options = { color: false, quiet: false, width: 80 };
  return { journal, analysis: analyse(journal), directory: null, options };
}

test('interruptions say why and that the pair was repeated', () => {
  const input = inputOf();
  const interruptions = [
    { kind: 'interrupted', phase: 'confirmation', block: 3, attempt: 1, reason: 'gap' },
    { kind: 'interrupted', phase: 'screening', block: 1, attempt: 2, reason: 'resumed' },
  ] as const;
  expect(interruptionsOf({ ...input, journal: { ...input.journal, interruptions } })).toEqual([
    'confirmation pair 3, attempt 1: too long between its trials; repeated whole in its place.',
    'screening pair 1, attempt 2: the run was stopped in it and resumed; repeated whole in its place.',
  ]);
});

test('rules that met nothing are named all the same', () => {
  const rules = [
    { fact: 'steal', when: 'above', limit: 0.05 },
    { fact: 'other_cpu', when: 'above', limit: 0.5 },
    { fact: 'frequency_hz', when: 'below', limit: 2_400_000_000 },
  ] as const;
  expect(rejectionsOf(inputOf({ rules }), PLAIN).summary).toEqual([
    'none; rules that stood before the run: stolen time above 5 % of a CPU, other use of CPUs above 0.5 CPUs, frequency below 2.4 GHz.',
  ]);
});

test('a constructed workload and missing checks are said', () => {
  const input = inputOf();
  const analysis = { ...input.analysis, constructed: true, checks: { trials: 8, made: 0, failed: 0, names: [] } };
  expect(limitSentences({ ...input, analysis })).toHaveLength(2);
  expect(checksSentence({ ...input, analysis }, PLAIN)).toMatch(/^none were made in 8 trials: /);
});

test('a run that ended for want of space says how much is missing', () => {
  const message = 'the first trial took 9 MiB, and 1 MiB is free.';
  const sentences = stateSentences(inputOf({ end: { kind: 'disk_space', message } }), PLAIN);
  expect(sentences[1]).toBe(`It ended early: ${message}`);
});

test('where only counts are missing, the pairs are not said to be', () => {
  const count = countOf({ put: 1 });
  const counts = { a: [count], b: [count, count] };
  expect(stateSentences(inputOf({ counts, end: null }), PLAIN)).toEqual([
    'The run is incomplete: all 4 planned pairs are done, but not all counts of instructions. What stands here is not its result.',
  ]);
});

test('a part of a calibration goes on by the command that began it', () => {
  const goOn = (calibrates: Experiment['calibrates'], directory: string) =>
    goOnOf({ ...inputOf({ calibrates, end: null }), directory });
  expect(goOn(null, 'run')).toEqual({ words: 'To go on:', command: 'assay run --resume run' });
  expect(goOn({ runs: 2, against: 'same', cost: null }, 'my cal')).toEqual({
    words: 'To go on, with --known and --arm where they were given:',
    command: "assay calibrate experiment.yaml --runs 2 --out 'my cal'",
  });
  const known = (cost: number | null, directory: string) =>
    goOn({ runs: 2, against: 'known', cost }, directory)?.command.replace('assay calibrate experiment.yaml ', '');
  expect(known(0.007, 'x/known')).toBe('--runs 2 --known 0.7% --arm b --out x');
  expect(known(null, '/x/known/')).toBe('--runs 2 --known --arm b --out /x');
  // Moved, or seen from within.
  expect(known(1.5, '.')).toBe('--runs 2 --known 150% --arm b --out ./..');
});
