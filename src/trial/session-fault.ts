/** Why a session ended before its plan did, as a person can mend it. */
import { MOST_OPERATIONS } from '../experiment/slices.ts';
import { parseDone } from './driver-answers.ts';
import type { LaunchAccount, LaunchOutcome, SessionFault } from './launch.ts';
import { quoteStart } from './quote.ts';

/** Of an answer in the right form. */
const UNTRUE =
  'an answer that cannot be (a wall time longer than the turn took, or not `rested` where it was told to rest)';

/**
 * What the driver at fault did, as a clause.
 * @param limits `asked`: slices that were planned; null where that was left to the session
 */
export function faultText(
  { kind, slice, answer }: SessionFault,
  outcome: LaunchOutcome,
  limits: { readonly answer_timeout_ms: number; readonly asked: number | null },
): string {
  const seconds = `${limits.answer_timeout_ms / 1000} s`;
  const said = answer === '' ? '' : `: ${quoteStart(answer, 120)}`;
  const what = {
    // Often one whose end of line is missing.
    stalled: `no answer within ${seconds}${said === '' ? '' : `, only the beginning of one${said}`}`,
    ended: `no answer: ${endText(outcome)}`,
    garbage: `${parseDone(answer) === null ? 'an answer that the protocol does not allow' : UNTRUE}${said}`,
    unasked: `an answer that nobody asked for${said}`,
    miscounted: `an answer for another number of operations than it was asked for${said}`,
    timeless: `it says that more than ${MOST_OPERATIONS / 2} operations take less time than a slice should: its clock stands still, or its work is not done (see assay driver-check)`,
    busy: `its background work did not come to rest within ${seconds}`,
  }[kind];
  const early = slice === 0 && kind === 'unasked' ? 'before its first slice' : null;
  return `${what}, ${early ?? placeText(slice, limits.asked)}`;
}

function placeText(slice: number, asked: number | null): string {
  if (slice === 0)
    return 'before it was ready: told `--serve`, a driver says `ready` once it is set up (docs/slices.md)';
  const done = slice - 1;
  const after = `after ${done} ${done === 1 ? 'slice' : 'slices'}`;
  return asked !== null && done === asked ? `${after}, while it verified` : after;
}

function endText(outcome: LaunchOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `it ended with exit code ${outcome.code}`;
    case 'signalled':
      return `it was ended by ${outcome.signal}`;
    default:
      return 'it closed its answers';
  }
}

/** Whether how the process ended says it all: it never started, or broke a limit of every trial. */
export function endsByLimit({ outcome, wall_ns }: LaunchAccount, timeout_ms: number): boolean {
  if (outcome.kind === 'timeout') return wall_ns >= timeout_ms * 1e6;
  return outcome.kind === 'not_started' || outcome.kind === 'output_limit';
}
