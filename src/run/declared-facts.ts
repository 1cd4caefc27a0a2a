/** What drivers declared, from the raw output that a run has kept of the first trial of each arm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import { digestFile } from '../io/digest.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { Journal, RawFile, TrialRecord } from '../journal/records.ts';
import { findResultLine } from '../trial/result-line.ts';

type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const MOST_FACTS = 100;
const MOST_ITEMS = 200;
/** In characters. */
const LONGEST = 1000;

/**
 * By arm; those without any facts have an empty record.
 * @throws AssayError `journal` where the kept output is not what the journal says
 */
export async function declaredFacts(runPath: string, journal: Journal): Promise<Readonly<Record<string, Facts>>> {
  const facts: [string, Facts][] = [];
  for (const arm of journal.run.experiment.design.arms) {
    const first = journal.trials.find((trial) => trial.arm === arm && trial.failure === null);
    facts.push([arm, first === undefined ? {} : await factsOf(runPath, first)]);
  }
  return Object.fromEntries(facts);
}

async function factsOf(runPath: string, trial: TrialRecord): Promise<Facts> {
  const stdout = trial.raw.find(({ path }) => path.endsWith('/stdout'));
  if (stdout === undefined) return {};
  const found = findResultLine(await textOf(runPath, stdout));
  if (!found.ok) return {};
  const facts = Object.entries(found.line.facts).flatMap(([name, value]) => {
    const kept = keptValue(value);
    return kept === null || [...name].length > LONGEST ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(facts.slice(0, MOST_FACTS));
}

async function textOf(runPath: string, { path, sha256 }: RawFile): Promise<string> {
  const file = join(runPath, path);
  if ((await digestFile(file).catch(() => null))?.sha256 !== sha256) {
    throw new AssayError({
      kind: 'journal',
      path: file,
      message: 'it is not what the journal says: its digest differs, or it is gone',
      remedy: 'Restore it from a bundle or a copy: what the engines promise is read from it.',
    });
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file, 'read the output of a trial');
  }
}

/** Texts, numbers, truths, and lists of texts; what is long is cut, anything else is left out. */
function keptValue(value: unknown): string | number | boolean | readonly string[] | null {
  if (typeof value === 'string') return value.slice(0, LONGEST);
  // JSON has numbers that no double holds, such as 1e999.
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return null;
  return value.slice(0, MOST_ITEMS).map((item: string) => item.slice(0, LONGEST));
}
