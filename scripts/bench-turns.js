/** What a turn of a session costs beside a bare ping-pong of two C processes on the same CPU. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function compile(scratch) {
  const made = (name) => join(scratch, name);
  execFileSync('cc', ['-O2', '-o', made('ping-pong'), join(here, 'turns', 'ping-pong.c')]);
  execFileSync('c++', ['-std=c++17', '-O2', '-o', made('idle-driver'), join(here, 'turns', 'idle-driver.cc')]);
  execFileSync('cc', ['-std=c11', '-O2', '-o', made('launcher'), join(here, '..', 'native', 'launcher.c')]);
  return { pingPong: made('ping-pong'), driver: made('idle-driver'), launcher: made('launcher') };
}

/** Nanoseconds of a turn, as the coordinator has them. */
async function turnNs(programs, scratch, { coordinator, isBare }, turns, real_time) {
  const { encodeSession } = await import('../dist/trial/session-protocol.js');
  const launcher = spawn(programs.launcher, ['', '0', '-1'], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const lines = createInterface({ input: launcher.stdout });
  const place = join(scratch, `turns-${process.hrtime.bigint()}`);
  const subject = (index) => ({
    argv: [programs.driver, ...(isBare ? ['bare'] : []), '--serve'],
    cwd: '/',
    env: {},
    stdin: null,
    stdout: `${place}.out-${index}`,
    stderr: `${place}.err-${index}`,
    cpu: 0,
    fixed_layout: false,
    real_time,
    counters: null,
    memory_group: null,
    timeout_ms: 60_000,
    grace_ms: 100,
    max_output_bytes: 1 << 20,
    settle: false,
  });
  const quads = Array.from({ length: turns / 4 }, (_, index) => {
    return { leader: index % 2, operations: 1, prelude: 0, gap_ns: 0 };
  });
  const request = {
    subjects: [subject(0), subject(1)],
    slices: `${place}.tsv`,
    answer_timeout_ms: 60_000,
    work: { kind: 'quads', quads },
  };
  launcher.stdin.write(encodeSession('1', request, coordinator));
  let last = '';
  for await (const line of lines) {
    last = line;
    if (line.includes(' fault=')) launcher.stdin.end();
  }
  const took = / fault=- .* turns=(\d+) /.exec(last);
  if (took === null) throw new Error(last);
  return Number(took[1]) / turns;
}

/** Calls `show(name, ratio, limit, note)` for the hand-over alone, with measurements, and from another CPU. */
export async function benchTurns({ scratch, small, show }) {
  let programs;
  try {
    programs = compile(scratch);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    process.stdout.write('a slice turn / bare ping-pong: not measured, there is no C or no C++ compiler\n');
    return;
  }
  // Ahead of all ordinary processes, where that is allowed: what else runs then is in neither side of the ratio.
  const isRealTime = spawnSync(programs.pingPong, ['0', '10', 'real-time']).status === 0;
  const kind = isRealTime ? 'real-time' : 'ordinary';
  const turns = small ? 8000 : 40_000;
  // Few turns on a shared machine decide nothing.
  const limit = small ? null : 1.5;
  const cases = [
    { name: 'a slice turn / bare ping-pong, on its CPU', coordinator: 0, isBare: true, limit },
    { name: 'the same, with what drivers/slices.h measures', coordinator: 0, isBare: false, limit: null },
    { name: 'a slice turn, coordinator on another CPU', coordinator: 1, isBare: true, limit: null },
  ].filter(({ coordinator }) => coordinator < availableParallelism());
  const ratios = cases.map(() => []);
  const bare = [];
  for (let round = 0; round < (small ? 3 : 9); round += 1) {
    bare.push(Number(execFileSync(programs.pingPong, ['0', String(turns), kind])));
    for (const [index, each] of cases.entries()) {
      ratios[index].push((await turnNs(programs, scratch, each, turns, isRealTime)) / bare.at(-1));
    }
  }
  const note = `${bare.length} × ${turns} turns, bare ${(median(bare) / 1000).toFixed(1)} µs, ${kind}`;
  for (const [index, each] of cases.entries()) show(each.name, median(ratios[index]), each.limit, note);
}
