/**
 * Who ran it, and where, stays out of the journal: a bundle is for strangers. Records hold placeholders; the real
 * values lie in a side file beside the journal, which `--resume` needs and a bundle leaves out.
 */

export interface Identity {
  readonly user: string;
  readonly host: string;
  readonly home: string;
  /** Directories that are named relatively in records: the experiment's own. */
  readonly experiment_dir: string;
  /** Values of variables that were passed on by name. */
  readonly env: Readonly<Record<string, string>>;
}

/** Names that say nothing about who someone is. */
const COMMON_NAMES = new Set(['root', 'localhost', 'user', '']);
/** A value shorter than this occurs by chance. */
const SHORTEST = 3;

/** Keys whose values are names that the experiment gave; these are not searched for identity. */
const NAME_KEYS = new Set(['kind', 'arm', 'reference', 'metric', 'name', 'unit', 'sha256', 'phase']);

interface Rule {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly placeholder: string;
}

function rulesOf(identity: Identity): readonly Rule[] {
  const rules: Rule[] = [];
  const add = (kind: string, value: string, pattern: string, placeholder: string) => {
    if (value.length < SHORTEST) return;
    rules.push({ kind, pattern: new RegExp(pattern, 'g'), placeholder });
  };
  for (const [name, value] of Object.entries(identity.env)) {
    add(`the value of ${name}`, value, literal(value), `<env ${name}>`);
  }
  const directory = identity.experiment_dir;
  add("the experiment's directory", directory, `${literal(directory)}(?![A-Za-z0-9._-])`, '{experiment.dir}');
  add('the home directory', identity.home, `${literal(identity.home)}(?![A-Za-z0-9._-])`, '<home>');
  for (const [kind, value, placeholder] of [
    ["the user's name", identity.user, '<user>'],
    ["the host's name", identity.host, '<host>'],
  ] as const) {
    if (COMMON_NAMES.has(value)) continue;
    add(kind, value, `(?<![A-Za-z0-9_])${literal(value)}(?![A-Za-z0-9_])`, placeholder);
  }
  return rules;
}

/**
 * A function that replaces identity in every string of a value (a record), by the placeholders `{experiment.dir}`,
 * `<home>`, `<user>`, `<host>` and `<env NAME>`. Names of arms and metrics are left alone.
 */
export function redactor(identity: Identity): <T>(value: T) => T {
  const rules = rulesOf(identity);
  const text = (value: string) =>
    rules.reduce((result, { pattern, placeholder }) => result.replace(pattern, placeholder), value);
  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return NAME_KEYS.has(key) ? value : text(value);
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
    }
    return value;
  };
  return <T>(value: T) => visit(value, '') as T;
}

/** A function that names the kinds of identity that a text holds: `the home directory`, `the value of TOKEN`. */
export function identityFinder(identity: Identity): (text: string) => readonly string[] {
  const rules = rulesOf(identity);
  return (text) => rules.filter(({ pattern }) => text.search(pattern) !== -1).map(({ kind }) => kind);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
