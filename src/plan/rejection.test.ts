import { expect, test } from 'vitest';
import { trialOf } from '../../test/journal-builder.ts';
import type { TrialNoise } from '../host/machine.ts';
import { rejectionsOf, rejectionText } from './rejection.ts';

const RULES = [
  { fact: 'steal', when: 'above', limit: 0.02 },
  { fact: 'other_cpu', when: 'above', limit: 0.2 },
  { fact: 'frequency_hz', when: 'below', limit: 2.5e9 },
] as const;

function rejected(noise: TrialNoise, phase = 'confirmation'): string[] {
  const trial = trialOf({ phase, block: 1, position: 1, arm: 'a' }, 0, {}, { noise });
  return rejectionsOf(trial, RULES).map(rejectionText);
}

test('a trial breaks the rules that its facts lie beyond, and says by how much', () => {
  expect(rejected({ steal: 0.031, other_cpu: 0.35, frequency_hz: 2.1e9 })).toEqual([
    'steal 3.1% > 2%',
    'other_cpu 0.35 > 0.2',
    'frequency 2.1 GHz < 2.5 GHz',
  ]);
});

test('a limit itself is within the rule', () => {
  expect(rejected({ steal: 0.02, other_cpu: 0.2, frequency_hz: 2.5e9 })).toEqual([]);
});

test('a fact that is not known breaks no rule', () => {
  expect(rejected({ steal: null, other_cpu: null, frequency_hz: null })).toEqual([]);
});

test.each(['warmup', 'screening', 'counting'])('nothing of %s is rejected', (phase) => {
  expect(rejected({ steal: 1, other_cpu: 1, frequency_hz: 1 }, phase)).toEqual([]);
});

test('a control is rejected as the confirmation is', () => {
  expect(rejected({ steal: 0.031, other_cpu: 0, frequency_hz: null }, 'again')).toEqual(['steal 3.1% > 2%']);
});
