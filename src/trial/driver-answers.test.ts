import { expect, test } from 'vitest';
import { parseDone } from './driver-answers.ts';

test('every number of an answer is below 2^53, those of events too, as in native/answers.h', () => {
  const answer = (wall: string, cycles: string) => parseDone(`done 4 ${wall} 90 0 0 idle cycles=${cycles}`);
  const most = String(Number.MAX_SAFE_INTEGER);
  expect(answer(most, most)).toMatchObject({ wall_ns: Number.MAX_SAFE_INTEGER, counts: [`cycles=${most}`] });
  expect(answer('9007199254740993', '5')).toBeNull();
  expect(answer('100', '9007199254740993')).toBeNull();
});
