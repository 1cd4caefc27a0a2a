/** Whether the experiment is the one that the journal says it is. */
import { experimentId } from '../../experiment/canonical.ts';
import { readExperiment } from '../../experiment/parse.ts';
import type { Replay } from '../../journal/replay.ts';
import { experimentHash, sameExperiment } from '../../run/first-record.ts';
import { deeperThan } from '../../trial/json-value.ts';
import type { Manifest } from '../manifest.ts';
import { sameValueButIdentity } from '../same-text.ts';
import { sha256 } from '../sha256.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

/** An experiment has a few levels; what a stranger adds may have any number. */
const MOST_DEPTH = 64;

export function experimentAnswer({ journal, first }: Replay, manifest: Manifest): Answer {
  const { experiment, experiment_id, source } = journal.run;
  // A journal of an earlier version has no field that came later, and its identity was made without it.
  if (experimentHash(experiment) !== experiment_id && idAsWritten(first) !== experiment_id) {
    return failed('experiment', 'its identity (experiment_id) is not its digest');
  }
  if (manifest.experiment_id !== experiment_id) return failed('experiment', 'the manifest is of another experiment');
  if (manifest.started_unix_s !== Math.floor(journal.run.started_unix_ms / 1000)) {
    return failed('experiment', 'the manifest is of another run');
  }
  if (sha256(source.text) !== source.sha256)
    return failed('experiment', 'the text of the experiment is not the one that was digested');
  const read = readExperiment(source.text);
  if (read.ok && sameExperiment(read.experiment, experiment)) {
    return verified('experiment', 'its text gives it, and its identity is its digest');
  }
  const reason = 'its identity is its digest; whether its text gives it cannot be seen';
  if (/<home>|<user>|<host>|<env |\{experiment\.dir\}/.test(source.text)) {
    return notPossible('experiment', `${reason}, since names and paths in it were replaced by placeholders`);
  }
  if (read.ok && sameValueButIdentity(experiment, read.experiment)) {
    return verified('experiment', 'its text gives it but for names and paths, and its identity is its digest');
  }
  if (!read.ok)
    return notPossible('experiment', `${reason}, since this Assay does not read it (run by ${journal.run.assay})`);
  return failed('experiment', 'its text is another experiment than the one that was run');
}

function idAsWritten(first: unknown): string | null {
  if (typeof first !== 'object' || first === null || !('experiment' in first)) return null;
  if (deeperThan(first.experiment, MOST_DEPTH)) return null;
  // It is of the right shape, since it was read as a record; what was added is what this must do without.
  return sha256(experimentId(first.experiment as Parameters<typeof experimentId>[0]));
}
