import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { accountOf, journalOf } from '../../test/journal-builder.ts';
import { openMachineWatch } from './machine-watch.ts';

const { experiment } = journalOf({ values: { wall: { a: [1, 1], b: [1, 1] } } }).run;

test.runIf(process.platform === 'linux')(
  'a trial has rates however short it is: else a rule of rejection would see how long it took',
  async () => {
    const watch = openMachineWatch(experiment);
    for (const ms of [0, 1, 30, 120, 0, 5]) {
      const planned = { phase: 'confirmation', block: 1, position: 1, arm: 'a' } as const;
      await watch.before([planned]);
      await delay(ms);
      const noise = watch.after([planned], [{ cpu_ns: 0 }])[0]?.noise;
      expect(noise?.steal, `${ms} ms`).toEqual(expect.any(Number));
      expect(noise?.other_cpu, `${ms} ms`).toEqual(expect.any(Number));
    }
  },
);

test('one look before the first trial of a block, one after its last', async () => {
  const watch = openMachineWatch(experiment);
  const states = [];
  for (const position of [1, 2]) {
    const planned = { phase: 'confirmation', block: 1, position, arm: 'a' } as const;
    await watch.before([planned]);
    states.push(watch.after([planned], [accountOf()])[0]?.state);
  }
  expect(states.map((state) => state?.load_1m)).toEqual([expect.any(Number), expect.any(Number)]);
});

test('the halves of a session have one window, and the looks before and after it', async () => {
  const watch = openMachineWatch(experiment);
  const planned = [1, 2].map((position) => ({ phase: 'confirmation', block: 1, position, arm: 'a' }) as const);
  await watch.before(planned);
  const [first, second, ...others] = watch.after(planned, [{ cpu_ns: 1 }, { cpu_ns: 2 }]);
  expect(others).toEqual([]);
  expect(first?.noise).toEqual(second?.noise);
  expect([first?.state?.load_1m, second?.state?.load_1m]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(first?.state).not.toBe(second?.state);
});
