/**
 * The noise probe's loop for machines without a C compiler, as a program of its own: prints the time of each of its
 * loops, in nanoseconds, one a line. Integers only, so that nothing is allocated in a loop.
 *
 *   node noise-loop.js LOOP_NS LOOPS LIMIT_NS
 */
import { writeSync } from 'node:fs';

const FIRST_STEPS = 1_000_000;

const [loopNs = 0, loops = 0, limitNs = 0] = process.argv.slice(2).map(Number);
let state = 2_463_534_242;

/** Steps of a random number generator (Marsaglia 2003, xorshift), each of which needs the one before. */
function loop(steps: number): { readonly wall_ns: number; readonly busy_ns: number } {
  const busy = process.cpuUsage();
  const started = process.hrtime.bigint();
  let x = state;
  for (let left = steps; left > 0; left--) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  state = x;
  const wall_ns = Number(process.hrtime.bigint() - started);
  const { user, system } = process.cpuUsage(busy);
  return { wall_ns, busy_ns: Math.max(1, (user + system) * 1000) };
}

// The first is compiled while it runs.
loop(FIRST_STEPS);
let steps = FIRST_STEPS;
for (let round = 0; round < 2; round++) steps = Math.max(1, Math.round((steps * loopNs) / loop(steps).busy_ns));
const started = process.hrtime.bigint();
for (let done = 0; done < loops && Number(process.hrtime.bigint() - started) < limitNs; done++) {
  writeSync(1, `${loop(steps).wall_ns}\n`);
}
