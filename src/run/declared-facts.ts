/** What drivers declared, from the raw output that a run has kept of each trial. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { Journal, RawFile, TrialRecord } from '../journal/records.ts';
import type { ChangedFact, Declared, EngineFacts, FactValue } from '../storage/engines/analysis.ts';
import { STEADY_FACTS } from '../storage/engines/facts.ts';
import { findResultLine } from '../trial/result-line.ts';

const MOST_FACTS = 100;
const MOST_ITEMS = 200;
/** In characters. */
const LONGEST = 1000;
/** Of one fact. Whoever declares yet others is found out by these. */
const MOST_VALUES = 10;

/**
 * By arm, of all its trials that did not fail; those without any facts have an empty record. However many trials there are, one output
 * is held at a time.
 * @throws AssayError `journal` where the kept output is not what the journal says, or that of an arm's first trial is gone
 */
export function declaredFacts(runPath: string, journal: Journal): Declared {
  const all = journal.run.experiment.design.arms.map((arm) => ({
    engine: arm,
    ...ofTrials(
      runPath,
      journal.trials.filter((trial) => trial.arm === arm && trial.failure === null),
    ),
  }));
  return {
    facts: Object.fromEntries(all.map(({ engine, facts }) => [engine, facts])),
    changed: Object.fromEntries(all.map(({ engine, changed }) => [engine, changed])),
    unread: all.flatMap(({ engine, gone, of }) => (gone === 0 ? [] : [{ engine, trials: gone, of }])),
  };
}

interface OfTrials {
  readonly facts: EngineFacts;
  readonly changed: readonly ChangedFact[];
  readonly gone: number;
  readonly of: number;
}

function ofTrials(runPath: string, trials: readonly TrialRecord[]): OfTrials {
  let first: EngineFacts | null = null;
  let gone = 0;
  const values = new Map<string, Map<string, Seen>>();
  for (const trial of trials) {
    const facts = factsOf(runPath, trial);
    if (facts === null && first === null) throw otherThanJournal(join(runPath, stdoutOf(trial)?.path ?? ''));
    first ??= facts;
    if (facts === null) gone += 1;
    else for (const fact of STEADY_FACTS) see(values, fact, facts[fact] ?? null, trial.block);
  }
  const changed = [...values].flatMap(([fact, seen]): readonly ChangedFact[] =>
    seen.size < 2 ? [] : [{ fact, values: [...seen.values()], trials: trials.length - gone }],
  );
  return { facts: first ?? {}, changed, gone, of: trials.length };
}

type Seen = { -readonly [Key in keyof FactValue]: FactValue[Key] };

/** By the name of the fact, then by its value. */
function see(all: Map<string, Map<string, Seen>>, fact: string, value: Seen['value'], block: number): void {
  const values = all.get(fact) ?? new Map<string, Seen>();
  all.set(fact, values);
  const key = JSON.stringify(value);
  const seen = values.get(key);
  if (seen !== undefined) seen.trials += 1;
  else if (values.size < MOST_VALUES) values.set(key, { value, trials: 1, block });
}

/** Null where the output is gone. @throws AssayError `journal` where it is another */
function factsOf(runPath: string, trial: TrialRecord): EngineFacts | null {
  const stdout = stdoutOf(trial);
  if (stdout === undefined) return {};
  const text = textOf(runPath, stdout);
  if (text === null) return null;
  const found = findResultLine(text);
  if (!found.ok) return {};
  const facts = Object.entries(found.line.facts).flatMap(([name, value]) => {
    const kept = keptValue(value);
    return kept === null || [...name].length > LONGEST ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(facts.slice(0, MOST_FACTS));
}

function stdoutOf({ raw }: TrialRecord): RawFile | undefined {
  return raw.find(({ path }) => path.endsWith('/stdout'));
}

function textOf(runPath: string, { path, bytes, sha256 }: RawFile): string | null {
  const file = join(runPath, path);
  let content: Buffer;
  try {
    // Before it is read: a pipe would be waited for, and a large file held.
    const found = statSync(file);
    if (!found.isFile() || found.size !== bytes) throw otherThanJournal(file);
    content = readFileSync(file);
  } catch (error) {
    if (error instanceof AssayError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw fileFailure(error, file, 'read the output of a trial');
  }
  if (createHash('sha256').update(content).digest('hex') !== sha256) throw otherThanJournal(file);
  return content.toString('utf8');
}

function otherThanJournal(path: string): AssayError {
  return new AssayError({
    kind: 'journal',
    path,
    message: 'it is not what the journal says: its digest differs, or it is gone',
    remedy: 'Restore it from a bundle or a copy: what the engines promise is read from it.',
  });
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
