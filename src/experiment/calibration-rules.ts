/** Rules about a calibration: how much of it there may be, and what it compares. */
import { MOST_CALIBRATION_PAIRS } from './calibrated.ts';
import { confirmationArms } from './design-rules.ts';
import type { Reading } from './draft.ts';
import type { Fault } from './fault.ts';
import { suggestion } from './nearest.ts';

/** Of a confirmation that does not say how many. */
const DEFAULT_PAIRS = 16;

export function* calibrationRules(reading: Reading): Generator<Fault> {
  const { draft } = reading;
  const { calibration, design } = draft;
  if (calibration === undefined) return;
  const { runs, arm, cost } = calibration;
  const confirmation = design?.confirmation;
  const pairs = design?.sequential?.max ?? confirmation?.sessions ?? confirmation?.pairs ?? DEFAULT_PAIRS;
  if (runs !== undefined && runs * pairs > MOST_CALIBRATION_PAIRS) {
    const unit = design?.slices === undefined || design.slices === false ? 'pairs' : 'sessions';
    const most = Math.floor(MOST_CALIBRATION_PAIRS / pairs);
    const message = `${runs} runs of ${pairs} ${unit} are more than ${MOST_CALIBRATION_PAIRS}: ${
      most < 2 ? 'the confirmation is too long to be repeated' : `at most ${most} runs`
    }`;
    yield { path: ['calibration', 'runs'], at: 'value', message };
  }
  if (cost !== undefined && arm === undefined) {
    const message = 'a cost is that of an arm: name it with `arm`';
    yield { path: ['calibration', 'cost'], at: 'key', message };
  }
  if (arm === undefined) return;
  const arms = confirmationArms(reading);
  const reference = draft.reference ?? arms[0];
  const others = arms.filter((name) => name !== reference);
  if (others.includes(arm)) return;
  const message =
    arm === reference
      ? `\`${arm}\` is the reference: an arm of known cost is another one`
      : `the confirmation has no arm \`${arm}\`: ${suggestion(arm, others)}`;
  yield { path: ['calibration', 'arm'], at: 'value', message };
}
