/**
 * Who ran it, and where, stays out of the journal: a bundle is for strangers. Records hold placeholders; the real
 * values lie in a side file beside the journal, which `--resume` needs and a bundle leaves out. In which places of a
 * record that is so, identity-places.ts says.
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
/** A value shorter than this occurs by chance within words, and is found as a word of its own only. */
const SHORTEST_WITHIN_WORDS = 8;

/** Placeholders of a command: what looks like identity in them is the name of a parameter. */
const TEMPLATE = String.raw`\{(?:arm\.(?:name|driver|dir)|trial\.dir|experiment\.dir|params\.[A-Za-z0-9_.-]+)\}`;
const WORD = String.raw`[\p{L}\p{N}_]`;
/** Behind a path: no longer name of a file goes on from it. */
const PATH_ENDS = String.raw`(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}_])`;

interface Rule {
  readonly kind: string;
  readonly value: string;
  readonly placeholder: string;
  /** The pattern that finds a text as this kind of value. */
  readonly around: (text: string) => string;
}

/** What is looked for; where several begin at one place, the first holds. */
function rulesOf({ env, experiment_dir, home, user, host }: Identity): readonly Rule[] {
  const passed = Object.entries(env)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, value]): Rule => {
      const around = value.length < SHORTEST_WITHIN_WORDS ? asWord : literal;
      return { kind: `the value of ${name}`, value, placeholder: `<env ${name}>`, around };
    });
  const path = (text: string) => `${literal(text)}${PATH_ENDS}`;
  const names = [
    { kind: "the user's name", value: user, placeholder: '<user>', around: asWord },
    { kind: "the host's name", value: host, placeholder: '<host>', around: asWord },
  ].filter(({ value }) => !COMMON_NAMES.has(value));
  const rules: Rule[] = [
    ...passed,
    { kind: "the experiment's directory", value: experiment_dir, placeholder: '{experiment.dir}', around: path },
    { kind: 'the home directory', value: home, placeholder: '<home>', around: path },
    ...names,
  ];
  return rules.filter(({ value }) => value.length >= SHORTEST);
}

/**
 * A function that replaces identity in a text by the placeholders `{experiment.dir}`, `<home>`, `<user>`, `<host>` and
 * `<env NAME>`, in one pass: what was put in is not searched again.
 * @param known names that stand in the journal anyway: a value that is one of them stays
 */
export function textRedactor(identity: Identity, known: ReadonlySet<string> = new Set()): (text: string) => string {
  const rules = rulesOf(identity).filter(({ value }) => !known.has(value));
  if (rules.length === 0) return (text) => text;
  const pattern = new RegExp([TEMPLATE, ...rules.map(({ value, around }) => `(${around(value)})`)].join('|'), 'gu');
  return (text) =>
    text.replace(pattern, (found: string, ...groups: readonly unknown[]) => {
      const at = rules.findIndex((_, index) => groups[index] !== undefined);
      return rules[at]?.placeholder ?? found;
    });
}

/**
 * A function that names the kinds of identity that a text holds: `the home directory`, `the value of TOKEN`; as they
 * stand in JSON and HTML, too.
 */
export function identityFinder(identity: Identity): (text: string) => readonly string[] {
  const patterns = rulesOf(identity).map(({ kind, value, around }) => {
    const forms = [...new Set([value, JSON.stringify(value).slice(1, -1), inHtml(value)])];
    return { kind, pattern: new RegExp(forms.map(around).join('|'), 'u') };
  });
  return (text) => patterns.filter(({ pattern }) => pattern.test(text)).map(({ kind }) => kind);
}

/** Whether no word goes on before or after it; what begins or ends otherwise is bounded by itself. */
function asWord(text: string): string {
  const begins = new RegExp(`^${WORD}`, 'u').test(text) ? `(?<!${WORD})` : '';
  const ends = new RegExp(`${WORD}$`, 'u').test(text) ? `(?!${WORD})` : '';
  return `${begins}${literal(text)}${ends}`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function inHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
