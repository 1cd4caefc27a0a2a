/** Whether the raw output of the trials says what the journal says of them. */

import type { Taken } from '../intake.ts';
import type { Recomputed } from '../recompute.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

const WORD = 'wall time, CPU time and memory are the word of the launcher, noise that of the machine';

export function trialsAnswer({ recomputed, raw_fault }: Taken): Answer {
  if (recomputed === null) return failed('trials', raw_fault ?? 'the raw output cannot be read');
  const { made, absent, large, slow, without, differing } = recomputed;
  const total = recomputed.journal.trials.length;
  if (recomputed.journal.run.imported !== null) return importedAnswer(recomputed, total);
  if (differing.count > 0) return failed('trials', `${differing.count} of ${total} trials differ: ${differing.text()}`);
  if (total === 0) return verified('trials', 'there are none');
  const missing = [
    ...(absent > 0 ? [`the raw output of ${absent} of ${total} trials is not in the bundle`] : []),
    ...(large > 0 ? [`that of ${large} is larger than is read`] : []),
    ...(slow > 0 ? [`patterns could take too long on that of ${slow} (--limit-seconds)`] : []),
  ].join('; ');
  if (missing !== '') return notPossible('trials', `${missing}; ${made} were computed again and agree`);
  const sliced = recomputed.journal.run.experiment.design.slices !== null;
  const said = sliced ? `${WORD}, what slices took that of the drivers` : WORD;
  const word = without === 0 ? said : `${said}; that ${without} of them left no file for a metric, that of the journal`;
  return verified('trials', `metrics and checks of ${made} trials, computed again from their raw output (${word})`);
}

function importedAnswer({ absent, large, slow, differing }: Recomputed, total: number): Answer {
  if (differing.count > 0) return failed('trials', `the import made again is another: ${differing.text()}`);
  if (absent > 0) return notPossible('trials', 'not all files that were imported are in the bundle');
  if (large > 0) return notPossible('trials', 'the files that were imported are larger than is read');
  if (slow > 0)
    return notPossible('trials', 'to read the files that were imported could take too long (--limit-seconds)');
  return verified('trials', `${total} repetitions with their metrics, made again from the files that were imported`);
}
