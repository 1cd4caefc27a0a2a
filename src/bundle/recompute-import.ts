/** An import, made again from the copies of its files: what the journal says must be what they give. */
import { canonicalJson } from '../experiment/canonical.ts';
import { type GivenFile, importRun } from '../imported/import-run.ts';
import { parseRequest } from '../imported/request.ts';
import { assayVersion } from '../io/version.ts';
import type { Imported, Journal, TrialLine, TrialRecord } from '../journal/records.ts';
import { whole } from '../journal/whole.ts';
import { fewValues } from './bounded-json.ts';
import { collectFaults } from './faults.ts';
import { MOST_OUTPUT_VALUES, MOST_TRIAL_BYTES } from './limits.ts';
import type { Recomputation, Recomputed } from './recompute.ts';
import { refusal } from './refusal.ts';
import { READ_NS } from './work.ts';

/** @param seconds that it may take */
export function openImportRecomputation(journal: Journal, { files }: Imported, seconds: number): Recomputation {
  const taken = new Map<string, GivenFile>();
  const differing = collectFaults();
  let bytes = 0;
  let isLarge = false;

  function finished(found: Partial<Recomputed>): Recomputed {
    return { journal, made: 0, absent: 0, large: 0, slow: 0, without: 0, differing, ...found };
  }

  function compare(): Recomputed {
    const request = parseRequest(journal.run.source.text);
    const given = files.flatMap(({ path }) => taken.get(path) ?? []);
    const all = journal.trials.length;
    if (request === null) {
      differing.add('the text of the import is none');
      return finished({});
    }
    const paths = request.files.map(({ path }) => path);
    if (canonicalJson(paths) !== canonicalJson(files.map(({ path }) => path))) {
      differing.add('the text of the import names other files than the journal');
      return finished({});
    }
    const outcome = importRun(request, given);
    if (!outcome.ok) {
      differing.add(`the files give no import: ${outcome.message}`);
      return finished({});
    }
    const { experiment, plan, imported, trials } = outcome.run;
    const { run } = journal;
    // Sentences may be worded otherwise by another version.
    const worded = run.assay === assayVersion();
    const told = (one: Imported | null) =>
      canonicalJson(worded ? one : { ...one, warnings: one?.warnings.map(({ code }) => code) });
    if (canonicalJson(experiment) !== canonicalJson(run.experiment)) differing.add('the files give another experiment');
    if (canonicalJson(plan) !== canonicalJson(run.plan)) differing.add('the files give other pairs');
    if (told(imported) !== told(run.imported)) differing.add('the files say something else of how they were measured');
    if (trials.length !== all) differing.add(`the files have ${trials.length} repetitions, the journal ${all}`);
    for (const [at, trial] of trials.entries()) {
      const recorded = journal.trials[at];
      if (recorded !== undefined && !isSame(recorded, trial, worded)) {
        differing.add(`${trial.arm} in repetition ${trial.block} has other values in the files than in the journal`);
      }
    }
    return finished({ made: all, journal: inOwnWords(journal, imported, trials) });
  }

  return {
    take(path, content, sha256) {
      const file = files.find((one) => one.path === path);
      if (file === undefined) throw refusal(`${path} is none of the files that were imported`);
      if (sha256 !== file.sha256) throw refusal(`${path} is not what the journal says: its digest differs`);
      bytes += content.length;
      isLarge ||= bytes > MOST_TRIAL_BYTES || !fewValues(content, MOST_OUTPUT_VALUES);
      if (!isLarge) taken.set(path, { path, bytes: content.length, sha256, text: content.toString('utf8') });
    },
    finish() {
      const all = journal.trials.length;
      if (isLarge) return finished({ large: all });
      if (taken.size < files.length) return finished({ absent: all });
      if ((bytes * READ_NS) / 1e9 > seconds) return finished({ slow: all });
      return compare();
    },
  };
}

/** Sentences are what this version writes of the files, whatever stands in the journal: a reader is told nothing that they do not say. */
function inOwnWords(journal: Journal, imported: Imported, trials: readonly TrialLine[]): Journal {
  return {
    ...journal,
    run: { ...journal.run, imported: { ...imported, files: journal.run.imported?.files ?? imported.files } },
    trials: journal.trials.map((recorded, at) => {
      const failure = trials[at]?.failure ?? null;
      return failure === null || recorded.failure === null ? recorded : { ...whole(recorded), failure };
    }),
  };
}

function isSame(recorded: TrialRecord, { failure, ...trial }: TrialLine, worded: boolean): boolean {
  const { session: _, failure: other, ...line } = whole(recorded);
  const failed = (one: TrialLine['failure']) => (worded ? one : one?.kind);
  return canonicalJson({ ...line, failed: failed(other) }) === canonicalJson({ ...trial, failed: failed(failure) });
}
