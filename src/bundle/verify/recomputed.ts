/** Whether the raw output of the trials says what the journal says of them. */

import type { Taken } from '../intake.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

const WORD = 'wall time, CPU time and memory are the word of the launcher, noise that of the machine';

export function trialsAnswer({ recomputed, raw_fault }: Taken): Answer {
  if (recomputed === null) return failed('trials', raw_fault ?? 'the raw output cannot be read');
  const { made, absent, large, differing } = recomputed;
  if (differing.count > 0) return failed('trials', `${differing.count} of ${made} trials differ: ${differing.text()}`);
  const total = recomputed.journal.trials.length;
  if (total === 0) return verified('trials', 'there are none');
  const missing = [
    ...(absent > 0 ? [`the raw output of ${absent} of ${total} trials is not in the bundle`] : []),
    ...(large > 0 ? [`that of ${large} is larger than is read`] : []),
  ].join('; ');
  if (missing !== '') return notPossible('trials', `${missing}; ${made} were computed again and agree`);
  return verified('trials', `metrics and checks of ${made} trials, computed again from their raw output (${WORD})`);
}
