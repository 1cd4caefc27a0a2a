/** Whether the experiment is the one that the journal says it is. */
import { experimentId } from '../../experiment/canonical.ts';
import { readExperiment } from '../../experiment/parse.ts';
import type { Located } from '../../failures.ts';
import { parseRequest } from '../../imported/request.ts';
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
  if (journal.run.imported !== null) {
    return parseRequest(source.text) === null
      ? failed('experiment', 'its text is no import, though the journal says so')
      : verified(
          'experiment',
          'its text is an import, and its identity is its digest; what it gives is a question of the trials',
        );
  }
  const read = readExperiment(source.text);
  if (read.ok && sameExperiment(read.experiment, experiment)) {
    return verified('experiment', 'its text gives it, and its identity is its digest');
  }
  if (!read.ok) return unreadAnswer(source.text, read.errors, journal.run.assay);
  if (sameValueButIdentity(experiment, read.experiment)) {
    return verified('experiment', 'its text gives it but for names and paths, and its identity is its digest');
  }
  return failed('experiment', 'its text is another experiment than the one that was run');
}

const PLACEHOLDER = /\{experiment\.dir\}|<home>|<user>|<host>|<env [A-Za-z_][A-Za-z0-9_]*>/;

/** A text that is not read gives no experiment, unless only what stands for identity keeps it from being read. */
function unreadAnswer(text: string, errors: readonly Located[], assay: string): Answer {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const held = errors.map(({ line }) => {
    const placeholder = PLACEHOLDER.exec(withoutComment(lines[line - 1] ?? ''))?.[0];
    return placeholder === undefined ? null : `${placeholder} in line ${line}`;
  });
  const [error] = errors;
  const other = held.indexOf(null);
  if (held.length > 0 && other === -1) {
    return notPossible(
      'experiment',
      `its identity is its digest; whether its text gives it cannot be seen, since it cannot be read with ${[...new Set(held)].slice(0, 5).join(', ')}`,
    );
  }
  const { line, message } = errors[other] ?? error ?? { line: 1, message: 'it is none' };
  return failed('experiment', `its text gives no experiment (line ${line}: ${message}); it was run by Assay ${assay}`);
}

function withoutComment(line: string): string {
  const start = line.search(/(?:^|\s)#/);
  return start === -1 ? line : line.slice(0, start);
}

function idAsWritten(first: unknown): string | null {
  if (typeof first !== 'object' || first === null || !('experiment' in first)) return null;
  if (deeperThan(first.experiment, MOST_DEPTH)) return null;
  // It is of the right shape, since it was read as a record; what was added is what this must do without.
  return sha256(experimentId(first.experiment as Parameters<typeof experimentId>[0]));
}
