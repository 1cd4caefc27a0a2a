/**
 * Where in records identity is replaced: in free text, words of commands, values of variables and parameters, and paths
 * outside the run. Every other string is kept as it is, since the program compares or parses it: kinds, names of arms,
 * phases, metrics, checks and parameters, pointers, patterns, names of files within the run, digests, versions. Keys of
 * objects are never changed.
 */
import { readDocument } from '../experiment/document.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { MachineFacts } from '../host/machine.ts';
import type {
  EndRecord,
  JournalRecord,
  PreparedArm,
  PreparedRecord,
  RunRecord,
  SessionRecord,
  TrialRecord,
} from '../journal/records.ts';
import type { LaunchAccount, SessionFault } from '../trial/launch.ts';
import { quoteStart } from '../trial/quote.ts';
import { type Identity, identityFinder, textRedactor } from './identity.ts';

/** Every string within. */
const TEXT = 'text';
/** Every string within, but for digests, commits and versions. */
const ORIGIN = 'origin';
const KEPT_OF_ORIGIN =
  /^(?:commit|parent|tree|integrity|package|version|node)$|_(?:sha256|version|bytes|files|seconds)$/;

/** Places in a value of type T; lists are passed through. What is not named is kept. */
type Places<T> =
  | typeof TEXT
  | typeof ORIGIN
  | { readonly [Key in KeyOf<ItemOf<T>>]?: Places<At<ItemOf<T>, Key>> | undefined };
type ItemOf<T> = T extends readonly (infer Item)[] ? ItemOf<Item> : T extends object ? T : never;
type KeyOf<T> = T extends unknown ? keyof T : never;
type At<T, Key extends PropertyKey> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never;

const EXPERIMENT: Places<Experiment> = {
  title: TEXT,
  question: TEXT,
  arms: {
    source: { repo: TEXT, rev: TEXT, patch: TEXT, build: TEXT, build_env: TEXT },
    library: { include: TEXT, library: TEXT, link: TEXT, metadata: TEXT, prefix: TEXT },
    command: TEXT,
    env: TEXT,
    params: TEXT,
  },
  workload: {
    driver: { compiler: TEXT, flags: TEXT },
    ...{ command: TEXT, cwd: TEXT, env: TEXT, stdin: TEXT, params: TEXT },
  },
  sides: { command: TEXT, params: TEXT },
  counting: { params: TEXT },
  trial_dir: TEXT,
};

/**
 * What a disk calls itself may be what somebody called it, where it is one of another machine; a compiler may say who
 * built it, and where.
 */
const MACHINE: Places<MachineFacts> = {
  storage: { disks: { model: TEXT } },
  tools: TEXT,
  counters: { hardware: { reason: TEXT }, software: { reason: TEXT } },
};

const ARMS: Places<readonly PreparedArm[]> = {
  command: TEXT,
  commands: TEXT,
  files: { path: TEXT },
  provenance: ORIGIN,
  warnings: { message: TEXT, remedy: TEXT },
};

const PREPARED: Places<PreparedRecord> = {
  arms: ARMS,
  attribution: { arm_path: TEXT, reference_path: TEXT },
  objects: { arm_path: TEXT, reference_path: TEXT },
  diffs: { why: TEXT },
  launcher: { limitations: TEXT },
};

const ACCOUNT: Places<LaunchAccount> = { counters: { unsupported: TEXT } };

const TRIAL: Places<TrialRecord> = {
  account: ACCOUNT,
  checks: { detail: TEXT },
  wording: TEXT,
  failure: { message: TEXT },
  last_words: TEXT,
  reader_warnings: { message: TEXT, remedy: TEXT },
  counters: { unsupported: TEXT },
  state: { busiest: { name: TEXT } },
};

const SESSION: Places<SessionRecord> = { trials: TRIAL };

/** Of account.json. */
const TRIAL_ACCOUNT: Places<
  Pick<TrialRecord, 'account'> &
    Pick<PreparedArm, 'command'> &
    Pick<Experiment, 'counting'> & { readonly session: { readonly fault: SessionFault | null } }
> = {
  session: { fault: { answer: TEXT } },
  command: TEXT,
  counting: { params: TEXT },
  account: ACCOUNT,
};

const END: Places<EndRecord> = { reason: { message: TEXT, path: TEXT } };

type Settled = Pick<RunRecord, 'experiment' | 'plan'> & {
  readonly machine: MachineFacts;
  readonly source: { readonly name: string; readonly text: string };
};

export interface Redactor {
  readonly experiment: (experiment: Experiment) => Experiment;
  /** What the first record is made of. */
  readonly settled: (settled: Settled) => Settled;
  readonly record: (record: JournalRecord) => JournalRecord;
  readonly arms: (arms: readonly PreparedArm[]) => readonly PreparedArm[];
  readonly text: (text: string) => string;
  /** Of the account.json of a trial. */
  readonly account: <T>(document: T) => T;
}

/** Functions that replace identity by placeholders wherever a record may hold it as text. */
export function redactor(identity: Identity): Redactor {
  const text = textRedactor(identity);
  const at = <T>(value: T, places: unknown) => redacted(value, places as Places<unknown>, text) as T;
  return {
    text,
    experiment: (experiment) => at(experiment, EXPERIMENT),
    arms: (arms) => at(arms, ARMS),
    account: (document) => at(document, TRIAL_ACCOUNT),
    settled(settled) {
      // A name or number of the experiment stays in its text, too: it stands in the journal anyway, and without it the
      // text would be of another experiment.
      const source = textRedactor(identity, structureOf(settled.experiment, settled.source.text));
      return {
        ...settled,
        experiment: at(settled.experiment, EXPERIMENT),
        machine: at(settled.machine, MACHINE),
        source: { name: text(settled.source.name), text: source(settled.source.text) },
      };
    },
    record(record) {
      switch (record.kind) {
        case 'prepared':
          return at(record, PREPARED);
        case 'trial':
          return at(record, TRIAL);
        case 'session':
          return at(record, SESSION);
        case 'end':
          return at(record, END);
        // What the first one holds was redacted before it was digested; the others hold no text.
        case 'run':
        case 'interrupted':
        case 'resumed':
          return record;
      }
    },
  };
}

/** As 100, 2m or 16 MiB: a value of the experiment that is no text of its own. */
const QUANTITY = /^[0-9][0-9.,_e+-]*\s?[A-Za-z%]{0,3}$/;

/** Names, keys, numbers and all else of an experiment that stands in the journal as it is. */
function structureOf(experiment: Experiment, text: string): ReadonlySet<string> {
  const known = new Set(keptStrings(experiment).map(({ value }) => value));
  const visit = (value: unknown): void => {
    if (typeof value === 'number' || typeof value === 'boolean') known.add(String(value));
    if (typeof value === 'string' && QUANTITY.test(value)) known.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      known.add(key);
      visit(item);
    }
  };
  visit(readDocument(text).document?.value);
  return known;
}

interface KeptString {
  /** Keys on the way to it, without places in lists. */
  readonly path: readonly string[];
  readonly value: string;
}

/** The strings of an experiment in which nothing is replaced. */
function keptStrings(experiment: Experiment): readonly KeptString[] {
  const found: KeptString[] = [];
  const visit = (value: unknown, places: Places<unknown> | undefined, path: readonly string[]): void => {
    if (places === TEXT) return;
    if (typeof value === 'string') found.push({ path, value });
    if (Array.isArray(value)) {
      for (const item of value) visit(item, places, path);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) visit(item, placesIn(places, key), [...path, key]);
    }
  };
  visit(experiment, EXPERIMENT as Places<unknown>, []);
  return found;
}

/** Of those, what people write freely; all others are words of the format. */
const WRITTEN = new Set(['name', 'pattern', 'pointer', 'path', 'region', 'package', 'version', 'functions', 'names']);

/**
 * What a person should know before it stands in the journal: names and patterns of the experiment that hold identity.
 * They are kept, since the run would be another without them.
 */
export function keptIdentity(experiment: Experiment, identity: Identity): readonly string[] {
  const find = identityFinder(identity);
  return keptStrings(experiment).flatMap(({ path, value }) => {
    const key = path.at(-1) ?? '';
    const kinds = WRITTEN.has(key) ? find(value) : [];
    if (kinds.length === 0) return [];
    const what = `${key} ${quoteStart(value)} in ${path[0] ?? ''}`;
    return [`${what} holds ${kinds.join(', ')}: it stands in the journal and in reports as it is.`];
  });
}

function placesIn(places: Places<unknown> | undefined, key: string): Places<unknown> | undefined {
  if (places === undefined || places === TEXT) return places;
  if (places === ORIGIN) return KEPT_OF_ORIGIN.test(key) ? undefined : TEXT;
  return Object.hasOwn(places, key) ? (places as Readonly<Record<string, Places<unknown>>>)[key] : undefined;
}

function redacted(value: unknown, places: Places<unknown> | undefined, text: (value: string) => string): unknown {
  if (places === undefined) return value;
  if (typeof value === 'string') return places === TEXT ? text(value) : value;
  if (Array.isArray(value)) return value.map((item) => redacted(item, places, text));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, redacted(item, placesIn(places, key), text)] as const,
  );
  return Object.fromEntries(entries);
}
