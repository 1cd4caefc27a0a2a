/** The schema applied to a document: faults in words that a person can act on, and what is left without them. */
import { z } from 'zod';
import type { SourceDocument } from './document.ts';
import type { Draft, Reading } from './draft.ts';
import { type Fault, type Path, pathKey } from './fault.ts';
import { nearest, suggestion } from './nearest.ts';
import { PLACEHOLDERS, paramOf } from './placeholders.ts';
import { experimentSchema } from './schema.ts';

type SchemaFault = Fault &
  (
    | { readonly kind: 'wrong' }
    /** `near` is the known name that it is probably meant to be. */
    | { readonly kind: 'unknown'; readonly near: string | null }
    /** The path is that of the map that lacks the name. */
    | { readonly kind: 'missing'; readonly name: string }
  );

export interface SchemaResult {
  readonly faults: readonly SchemaFault[];
  readonly reading: Reading;
}

export function applySchema(document: SourceDocument): SchemaResult {
  const faults = schemaFaults(document, experimentSchema);
  const refused = faults.filter(({ kind }) => kind !== 'missing').map(({ path }) => path);
  const troubled = new Set(faults.flatMap(({ path }) => path.map((_, length) => pathKey(path.slice(0, length + 1)))));
  const unknown = faults.filter(({ kind }) => kind === 'unknown').map(({ path }) => pathKey(path.slice(0, -1)));
  const withUnknown = new Set(unknown);
  return {
    faults,
    reading: {
      draft: without(document.value, refused),
      document,
      troubled: (path) => troubled.has(pathKey(path)),
      hasUnknownKey: (path) => withUnknown.has(pathKey(path)),
    },
  };
}

/** What a schema refuses in a document, each once. */
export function schemaFaults(document: SourceDocument, schema: z.ZodObject): readonly SchemaFault[] {
  const { error } = schema.safeParse(document.value);
  const checked = { ...document, schema };
  return withoutEchoes((error?.issues ?? []).flatMap((issue) => issueFaults(checked, issue, [])));
}

/** A document with the schema that is applied to it. */
type Checked = SourceDocument & { readonly schema: z.ZodObject };

/** Where a name is misspelt, it is not missing as well. */
function withoutEchoes(faults: readonly SchemaFault[]): SchemaFault[] {
  const misspelt = new Set(
    faults.flatMap((fault) =>
      fault.kind === 'unknown' ? [pathKey([...fault.path.slice(0, -1), fault.near ?? ''])] : [],
    ),
  );
  return faults.filter((fault) => fault.kind !== 'missing' || !misspelt.has(pathKey([...fault.path, fault.name])));
}

function issueFaults(document: Checked, issue: z.core.$ZodIssue, parent: Path): SchemaFault[] {
  const path: Path = [...parent, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        kind: 'unknown',
        path: [...path, key],
        at: 'key',
        message: unknownKey(document.schema, path, key),
        near: nearest(key, namesAt(document.schema, path)),
      }));
    case 'invalid_key':
      return [
        {
          kind: 'wrong',
          path,
          at: 'key',
          message: `expected ${issue.issues[0]?.message ?? 'another name'}, not ${described(String(path.at(-1)))}`,
        },
      ];
    case 'custom':
      return [{ kind: 'wrong', path, at: 'value', message: issue.message }];
    case 'invalid_union': {
      const branch = meantBranch(issue.errors);
      if (branch !== null) return branch.flatMap((part) => issueFaults(document, part, path));
      return [wrongValue(document, path, issue.message)];
    }
    default:
      return [wrongValue(document, path, issue.message)];
  }
}

/** The alternative that fits the value but for a part of it; null where several do or none. */
function meantBranch(branches: readonly z.core.$ZodIssue[][]): readonly z.core.$ZodIssue[] | null {
  const fitting = branches.filter((issues) =>
    issues.some(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function wrongValue(document: Checked, path: Path, expected: string): SchemaFault {
  if (!document.has(path)) {
    const message = `\`${path.at(-1)}\` is missing: expected ${expected}`;
    return { kind: 'missing', path: path.slice(0, -1), at: 'key', message, name: String(path.at(-1)) };
  }
  const value = valueAt(document.value, path);
  const near = typeof value === 'string' ? nearest(value, choicesAt(document.schema, path)) : null;
  const meant = near === null ? '' : `: did you mean \`${near}\`?`;
  return { kind: 'wrong', path, at: 'value', message: `expected ${expected}, not ${described(value)}${meant}` };
}

const LONGEST_QUOTE = 40;

function described(value: unknown): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value !== 'object') return String(value);
  const [only, ...others] = Object.entries(value);
  const isPlaceholder = (name: string) => PLACEHOLDERS.some((each) => each === name) || paramOf(name) !== null;
  if (only !== undefined && others.length === 0 && only[1] === null && isPlaceholder(only[0])) {
    return `a map: a text that begins with a placeholder needs quotes, \`"{${only[0]}}"\``;
  }
  return 'a map';
}

/** Kinds of arms that other versions may know, under the names that people try. */
const LATER_ARMS = ['artifacts', 'prefix', 'pkg-config', 'pkg_config'];

function unknownKey(root: z.ZodObject, parent: Path, key: string): string {
  if (key === '<<')
    return 'merge keys (`<<`) are not a part of YAML 1.2: repeat the values, or use an alias for all of them';
  if (parent.length === 2 && parent[0] === 'arms' && LATER_ARMS.includes(key)) {
    return `arms by \`${key}\` are not in this version of Assay: an arm is a \`command\`, an \`npm\` package or a \`git\` revision`;
  }
  const names = namesAt(root, parent);
  const sections = Object.keys(root.shape).filter((section) => namesAt(root, [section]).includes(key));
  if (nearest(key, names) === null && sections[0] !== undefined && sections[0] !== parent[0]) {
    return `unknown key \`${key}\`: it belongs under \`${sections[0]}\``;
  }
  return `unknown key \`${key}\`: ${suggestion(key, names)}`;
}

/** The names that a map at the path may have. */
function namesAt(root: z.ZodObject, path: Path): string[] {
  return schemasAt(root, path).flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
}

/** The words that a text at the path may be. */
function choicesAt(root: z.ZodObject, path: Path): string[] {
  const words = schemasAt(root, path).flatMap((schema): unknown[] => {
    if (schema instanceof z.ZodEnum) return schema.options;
    return schema instanceof z.ZodLiteral ? [...schema.values] : [];
  });
  return words.filter((word) => typeof word === 'string');
}

/** The schemas that a value at the path may follow. */
function schemasAt(root: z.ZodObject, path: Path): z.core.$ZodType[] {
  let schemas = alternatives(root);
  for (const step of path) {
    schemas = schemas.flatMap((schema) => {
      if (schema instanceof z.ZodObject) return alternatives(schema.shape[step]);
      if (schema instanceof z.ZodRecord) return alternatives(schema.valueType);
      return schema instanceof z.ZodArray ? alternatives(schema.element) : [];
    });
  }
  return schemas;
}

function alternatives(schema: unknown): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional) return alternatives(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(alternatives);
  return schema instanceof z.core.$ZodType ? [schema] : [];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => child(part, step), value);
}

function child(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? Reflect.get(value, step)
    : undefined;
}

/** A copy of the document without these parts; items of lists become undefined, so that the others keep their place. */
function without(value: unknown, refused: readonly Path[]): Draft {
  const copy = copied(value);
  if (refused.some((path) => path.length === 0)) return {};
  for (const path of refused) {
    const parent = valueAt(copy, path.slice(0, -1));
    const last = path.at(-1) ?? '';
    if (Array.isArray(parent)) parent[Number(last)] = undefined;
    else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
  }
  // The schema has refused everything else: what is left has the form that it asks for.
  return copy as Draft;
}

/** Without the sharing that aliases bring: one use of an alias may be right where another is wrong. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copied(part)]));
}
