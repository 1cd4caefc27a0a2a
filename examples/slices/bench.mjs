// A benchmark that works in slices. One operation adds up 200 numbers. node bench.mjs integers|fractions [--serve]
import { isServing, serve } from '../../drivers/slices.js';

const kind = process.argv[2];
const numbers = Array.from({ length: 200 }, (_, at) => (kind === 'integers' ? at : at + 0.5));
const expected = numbers.length * ((numbers[0] + numbers[numbers.length - 1]) / 2);
let wrong = 0;

function work(operations) {
  for (let done = 0; done < operations; done++) {
    let sum = 0;
    for (const number of numbers) sum += number;
    if (sum !== expected) wrong++;
  }
}

function finish(operations) {
  return { checks: { sum: { ok: wrong === 0, detail: `${wrong} of ${operations} sums are wrong` } } };
}

if (isServing()) {
  await serve({ work, finish, unit: 8 });
} else {
  work(100_000);
  process.stdout.write(`${JSON.stringify(finish(100_000))}\n`);
}
