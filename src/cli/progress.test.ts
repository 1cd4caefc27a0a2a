import { expect, test } from 'vitest';
import { trialOf } from '../../test/journal-builder.ts';
import type { BlockUnit } from '../events.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import { progressDisplay } from './progress.ts';

/** The lines that a run of two timed and two counted trials draws; each trial takes so many seconds. */
function drawn(seconds: Record<'confirmation' | 'counting', number>): string[] {
  let text = '';
  let now = 0;
  const streams = {
    out: () => undefined,
    err: (part: string) => {
      text += part;
    },
    live: true,
    outColor: false,
    width: 100,
  };
  const { emit } = progressDisplay(streams, false, () => now * 1000);
  for (let done = 0; done < 6; done++) {
    const phase = done < 3 ? 'confirmation' : 'counting';
    const planned: PlannedTrial = { phase, block: (done % 3) + 1, position: 1, arm: 'a' };
    const counted_later = phase === 'counting' ? 0 : 3;
    emit({
      kind: 'trial_started',
      planned,
      attempt: 1,
      blocks: 3,
      unit: 'pair',
      progress: { done, total: 6, counted_later },
    });
    now += seconds[phase];
  }
  return text.split('\r\u001b[K').slice(1);
}

test('counted trials are no pairs, and take a time of their own', () => {
  expect(drawn({ confirmation: 2, counting: 100 })).toEqual([
    'pair 1 of 3, a',
    'pair 2 of 3, a, about 4 s left, then 3 counted trials',
    'pair 3 of 3, a, about 2 s left, then 3 counted trials',
    'count 1 of 3, a',
    'count 2 of 3, a, about 3 min 20 s left',
    'count 3 of 3, a, about 1 min 40 s left',
  ]);
});

test('controls are told by their names, and more than two arms run in blocks, halves of a session together', () => {
  let text = '';
  const err = (part: string) => {
    text += part;
  };
  const streams = { out: () => undefined, err, live: true, outColor: false, width: 100 };
  const { emit } = progressDisplay(streams, false, () => 0);
  const say = (phase: string, unit: BlockUnit) => {
    const planned = { phase, block: 3, position: 1, arm: 'a' };
    const progress = { done: 0, total: 9, counted_later: 0 };
    emit({ kind: 'trial_started', planned, attempt: 2, blocks: 8, unit, progress });
  };
  say('again', 'pair');
  say('five', 'block');
  say('confirmation', 'block');
  say('confirmation', 'session');
  const record = trialOf({ phase: 'five', block: 3, position: 1, arm: 'a' }, 0, {});
  emit({ kind: 'rejected', record, unit: 'block', reason: 'steal 3% > 2%' });
  emit({ kind: 'rejected', record, unit: 'session', reason: 'steal 3% > 2%' });
  expect(text.split('\r\u001b[K').slice(1)).toEqual([
    'again pair 3 of 8, a, attempt 2',
    'five block 3 of 8, a, attempt 2',
    'block 3 of 8, a, attempt 2',
    'session 3 of 8, attempt 2',
    'five block 3: a rejected (steal 3% > 2%); the block will be repeated\nfive session 3: rejected (steal 3% > 2%); the session will be repeated\n',
  ]);
});

test('builds are counted, and the time of those to come is that of those that are over', () => {
  let text = '';
  let now = 0;
  const err = (part: string) => {
    text += part;
  };
  const streams = { out: () => undefined, err, live: true, outColor: false, width: 100 };
  const { emit } = progressDisplay(streams, false, () => now * 1000);
  const build = (arm: string, number: number, total = 8) => emit({ kind: 'building', arm, number, total });
  build('before', 1);
  now += 100;
  build('before', 2);
  now += 140;
  // What stood in the cache is not told.
  build('after', 7);
  expect(text.split('\n')).toEqual([
    'before: build 1 of 8',
    'before: build 2 of 8, about 11 min 40 s of builds left, less where the cache has them',
    'after: build 7 of 8, about 4 min 0 s of builds left, less where the cache has them',
    '',
  ]);
  text = '';
  build('after', 1, 1);
  expect(text).toBe('');
});
