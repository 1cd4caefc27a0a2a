import { expect, test } from 'vitest';
import { accountOf, journalOf } from '../../test/journal-builder.ts';
import { sessionOf } from '../../test/session-slices.ts';
import type { Slices } from '../experiment/experiment.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import type { LaunchOutcome, SessionFault } from './launch.ts';
import { readOutput } from './read-output.ts';
import type { SessionHalf } from './slice-metrics.ts';

const slices: Slices = { slice_ns: 1e6, session_ns: 1e9, operations: null, prelude: 0, answer_timeout_ms: 2500 };
const { experiment } = journalOf({
  values: { wall: { a: [1], b: [1] } },
  metrics: { wall: { from: { kind: 'slice', name: 'wall' } } },
}).run;
const setting = phaseSetting({ ...experiment, design: { ...experiment.design, slices } }, 'confirmation');

const session = sessionOf([{ ns: [10, 20, 20, 10] }, { leader: 1, ns: [20, 10, 10, 20] }]);
const whole: SessionHalf = { slices: session, subject: 1, fault: null, asked: 8 };

function read(half: Partial<SessionHalf>, operations: unknown, outcome: LaunchOutcome = { kind: 'exited', code: 0 }) {
  const stdout = `${JSON.stringify({ operations })}\n`;
  const output = { stdout, stderr: 'why\n', files: {}, account: accountOf({ outcome }) };
  return readOutput(setting, output, null, { ...whole, ...half });
}

test('a half that did what it was asked for has its numbers', () => {
  expect(read({}, 64)).toMatchObject({
    metrics: { wall: 20 },
    failure: null,
    checks: [{ name: 'exit code' }, { name: 'slices: operations', ok: true, detail: '64' }],
  });
  expect(read({ subject: 0 }, 64).metrics).toEqual({ wall: 10 });
});

test.each<[unknown, string]>([
  [63, '/operations of the result line is 63, and the driver was asked for 64'],
  [
    '64',
    'the result line breaks the protocol at "/operations": expected a whole number from 1 to 2^53, found "64"; its `operations` would be 64',
  ],
  [undefined, '/operations of the result line is missing, and the driver was asked for 64'],
])('a driver that says it did %j operations fails', (said, message) => {
  expect(read({}, said).failure).toEqual({ kind: 'check', check: 'slices: operations', message });
});

const fault = (changes: Partial<SessionFault>): SessionFault => {
  return { subject: 1, kind: 'stalled', slice: 6, answer: '', ...changes };
};

test.each<[Partial<SessionFault>, LaunchOutcome, string]>([
  [{}, { kind: 'timeout' }, 'no answer within 2.5 s, after 5 slices'],
  [{ slice: 2 }, { kind: 'timeout' }, 'no answer within 2.5 s, after 1 slice'],
  [
    { answer: 'done 16 100 90 0 0 idle' },
    { kind: 'timeout' },
    'no answer within 2.5 s, only the beginning of one: "done 16 100 90 0 0 idle", after 5 slices',
  ],
  [
    { kind: 'garbage', answer: 'done 16 6000 90 0 0 idle' },
    { kind: 'exited', code: 1 },
    'an answer that cannot be (a wall time longer than the turn took, or not `rested` where it was told to rest): "done 16 6000 90 0 0 idle", after 5 slices',
  ],
  [
    { kind: 'unasked', slice: 0, answer: 'ready 1 unit=8' },
    { kind: 'exited', code: 1 },
    'an answer that nobody asked for: "ready 1 unit=8", before its first slice',
  ],
  [{ slice: 9 }, { kind: 'timeout' }, 'no answer within 2.5 s, after 8 slices, while it verified'],
  [{ kind: 'ended' }, { kind: 'signalled', signal: 'SIGSEGV' }, 'no answer: it was ended by SIGSEGV, after 5 slices'],
  [{ kind: 'ended' }, { kind: 'exited', code: 3 }, 'no answer: it ended with exit code 3, after 5 slices'],
  [{ kind: 'ended' }, { kind: 'timeout' }, 'no answer: it closed its answers, after 5 slices'],
  [
    { kind: 'garbage', answer: '\u001b[31mhello' },
    { kind: 'exited', code: 0 },
    'an answer that the protocol does not allow: "\\u001b[31mhello", after 5 slices',
  ],
  [
    { kind: 'unasked', answer: 'done' },
    { kind: 'exited', code: 0 },
    'an answer that nobody asked for: "done", after 5 slices',
  ],
  [
    { kind: 'miscounted', answer: 'done 15' },
    { kind: 'exited', code: 0 },
    'an answer for another number of operations than it was asked for: "done 15", after 5 slices',
  ],
  [
    { kind: 'timeless' },
    { kind: 'exited', code: 5 },
    'it says that more than 549755813888 operations take less time than a slice should: its clock stands still, or its work is not done (see assay driver-check), after 5 slices',
  ],
  [{ kind: 'busy' }, { kind: 'timeout' }, 'its background work did not come to rest within 2.5 s, after 5 slices'],
  [
    { kind: 'ended', slice: 0 },
    { kind: 'exited', code: 2 },
    'no answer: it ended with exit code 2, before it was ready: told `--serve`, a driver says `ready` once it is set up (docs/slices.md)',
  ],
])('a fault %j is told as a sentence', (changes, outcome, message) => {
  const found = read({ fault: fault(changes) }, 64, outcome);
  expect(found).toEqual({
    metrics: {},
    operations: {},
    checks: [],
    counted: null,
    counters: null,
    failure: { kind: 'slices', message },
    last_words: 'why',
    reader_warnings: [],
  });
});

test('the other half of a session with a fault has no numbers, and no failure', () => {
  const found = read({ subject: 0, fault: fault({}) }, 64, { kind: 'abandoned' });
  expect(found).toMatchObject({ metrics: {}, checks: [], failure: null, last_words: null });
});

test.each<[LaunchOutcome, string]>([
  [{ kind: 'not_started', code: 'ENOENT', step: 'exec' }, 'launch'],
  [{ kind: 'output_limit', stream: 'stdout' }, 'output_limit'],
])('a limit of every trial says more than the fault: %j', (outcome, kind) => {
  expect(read({ fault: fault({ kind: 'ended' }) }, 64, outcome).failure).toMatchObject({ kind });
});

test('a process that had all its time ran into its timeout', () => {
  const output = {
    stdout: '',
    stderr: '',
    files: {},
    account: accountOf({ outcome: { kind: 'timeout' }, wall_ns: 6e11 }),
  };
  const half = { ...whole, fault: fault({ kind: 'ended' }) };
  expect(readOutput(setting, output, null, half).failure).toEqual({ kind: 'timeout', timeout_ms: 600_000 });
});
