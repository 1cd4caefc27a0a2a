/** The questions to the journal of a bundle, and to what was published of it. */
import { analyse } from '../../analysis/analyse.ts';
import { assayVersion } from '../../io/version.ts';
import type { Replay } from '../../journal/replay.ts';
import type { Taken } from '../intake.ts';
import { type Answer, notPossible, OF_THE_JOURNAL } from './answer.ts';
import { experimentAnswer } from './experiment.ts';
import { originAnswer } from './origin.ts';
import { planAnswer, rejectionsAnswer, screeningAnswer } from './plan.ts';
import { trialsAnswer } from './recomputed.ts';
import { resultAnswers } from './results.ts';

/** The answers to `OF_THE_JOURNAL`, in that order. */
export async function journalAnswers(taken: Taken, replay: Replay): Promise<readonly Answer[]> {
  const { manifest, recomputed } = taken;
  const journal = recomputed?.journal ?? replay.journal;
  const analysis = analyse(journal);
  return [
    experimentAnswer(replay, manifest),
    planAnswer(replay.journal),
    screeningAnswer(journal, analysis),
    rejectionsAnswer(journal, analysis),
    originAnswer(replay.journal, manifest),
    trialsAnswer(taken),
    ...(recomputed === null
      ? OF_THE_JOURNAL.slice(-2).map((question) => notPossible(question, 'the raw output is not that of the journal'))
      : await resultAnswers(taken, recomputed, analysis, assayVersion())),
  ];
}
