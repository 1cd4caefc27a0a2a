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

/**
 * A function that replaces identity in every string of a value (a record), by the placeholders `{experiment.dir}`,
 * `<home>`, `<user>`, `<host>` and `<env NAME>`. Names of arms and metrics are left alone.
 */
export function redactor(identity: Identity): <T>(value: T) => T {
  const rules: [RegExp, string][] = [];
  const path = (value: string, placeholder: string) => {
    if (value.length >= SHORTEST) rules.push([new RegExp(`${literal(value)}(?![A-Za-z0-9._-])`, 'g'), placeholder]);
  };
  for (const [name, value] of Object.entries(identity.env)) {
    if (value.length >= SHORTEST) rules.push([new RegExp(literal(value), 'g'), `<env ${name}>`]);
  }
  path(identity.experiment_dir, '{experiment.dir}');
  path(identity.home, '<home>');
  for (const [value, placeholder] of [
    [identity.user, '<user>'],
    [identity.host, '<host>'],
  ] as const) {
    if (value.length < SHORTEST || COMMON_NAMES.has(value)) continue;
    rules.push([new RegExp(`(?<![A-Za-z0-9_])${literal(value)}(?![A-Za-z0-9_])`, 'g'), placeholder]);
  }
  const text = (value: string) => rules.reduce((result, [pattern, by]) => result.replace(pattern, by), value);
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

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
