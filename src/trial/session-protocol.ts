/** The messages about a session between Assay and native/launcher.c. */
import { isAbsolute } from 'node:path';
import type { SessionAccount, SessionFault, SessionRequest } from './launch.ts';
import { checkRequest, encodeFrame, errorName, launchFields, parseAccount, parseLine } from './native-protocol.ts';

/** Lines of the reply to a session. */
export const SESSION_LINES = 3;

/** Characters of a wrong answer that are kept. */
const ANSWER_KEPT = 200;

/** A timer cannot be longer than this (about 31 years): keeps nanoseconds within 64 bits. */
const LONGEST_MS = 1e12;

/** Refuses what no launcher can do, as `checkRequest`. */
export function checkSession(request: SessionRequest): void {
  for (const subject of request.subjects) checkRequest(subject);
  const { slices, work, answer_timeout_ms } = request;
  if (!isAbsolute(slices) || slices.includes('\0')) throw new Error('a session needs an absolute path for its slices');
  const counts =
    work.kind === 'ramp'
      ? [work.target_ns, work.settle_slices]
      : work.quads.flatMap(({ operations, prelude, gap_ns }) => [operations, prelude, gap_ns]);
  for (const count of counts) {
    if (!(Number.isSafeInteger(count) && count >= 0)) throw new Error(`a session needs whole numbers, not ${count}`);
  }
  if (!(answer_timeout_ms > 0)) throw new Error('a session needs a time for answers');
}

/**
 * The bytes of a request for a session. Throws as `checkSession` does.
 * @param coordinatorCpu where the coordinator runs; that of the subjects, but for measurements of Assay itself
 */
export function encodeSession(
  id: string,
  request: SessionRequest,
  coordinatorCpu: number | null = request.subjects[0].cpu,
): Buffer {
  checkSession(request);
  const { subjects, slices, work, answer_timeout_ms } = request;
  const answer_ms = Math.ceil(Math.min(answer_timeout_ms, LONGEST_MS));
  const head = ['session', id, slices, String(answer_ms), String(coordinatorCpu ?? -1), work.kind];
  const plan =
    work.kind === 'ramp'
      ? [String(work.target_ns), String(work.settle_slices)]
      : [
          String(work.quads.length),
          '-',
          ...work.quads.flatMap((quad) => [quad.leader, quad.operations, quad.prelude, quad.gap_ns].map(String)),
        ];
  const launches = subjects.map(launchFields).flatMap((fields) => [String(fields.length), ...fields]);
  return encodeFrame([...head, ...plan, ...launches]);
}

const FAULTS: readonly SessionFault['kind'][] = [
  'stalled',
  'ended',
  'garbage',
  'unasked',
  'miscounted',
  'busy',
  'timeless',
];

/**
 * The reply to session `id`, of `SESSION_LINES` lines. `write_error` is the name of an errno where the file of slices
 * could not be written, else null. Throws Error for lines that are none of ours.
 */
export function parseSession(
  lines: readonly string[],
  id: string,
  pageBytes: number,
): { readonly account: SessionAccount; readonly write_error: string | null } {
  const [first = '', second = '', last = ''] = lines;
  const { fields } = parseLine(last);
  if (fields.get('id') !== id) throw new Error('the launcher answered another request');
  const name = fields.get('fault') ?? '';
  const kind = FAULTS.find((each) => each === name);
  if (kind === undefined && name !== '-') throw new Error(`the launcher's answer has an unknown fault: ${name}`);
  const subject = fields.get('subject') === '1' ? 1 : 0;
  const slice = Number.parseInt(fields.get('slice') ?? '', 10);
  const answer = Buffer.from(fields.get('answer') ?? '', 'hex')
    .toString('latin1')
    .slice(0, ANSWER_KEPT);
  const write = Number.parseInt(fields.get('write') ?? '', 10);
  if (!Number.isSafeInteger(slice) || Number.isNaN(write)) throw new Error("the launcher's answer lacks a number");
  return {
    account: {
      subjects: [parseAccount(first, id, pageBytes), parseAccount(second, id, pageBytes)],
      fault: kind === undefined ? null : { subject, kind, slice, answer },
    },
    write_error: write === 0 ? null : errorName(write),
  };
}
