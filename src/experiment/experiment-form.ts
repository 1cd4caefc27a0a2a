/** The form of an experiment file, and what of one is left without the parts that have another. */
import type { SourceDocument } from './document.ts';
import type { Draft, Reading } from './draft.ts';
import { type Path, pathKey } from './fault.ts';
import { experimentSchema } from './schema.ts';
import { type DocumentForm, type SchemaFault, valueAt } from './schema-faults.ts';

/** Kinds of arms that other versions may know, under the names that people try. */
const LATER_ARMS = ['artifacts', 'prefix', 'pkg-config', 'pkg_config'];

/** What only files of studies have at their top, and the command that takes those. */
const STUDIES: ReadonlyMap<string, string> = new Map([
  ['engines', 'assay engines'],
  ['setups', 'assay variance'],
]);

export const EXPERIMENT_FORM: DocumentForm = {
  schema: experimentSchema,
  onUnknown: (parent, key) => {
    const command = parent.length === 0 ? STUDIES.get(key) : undefined;
    if (command !== undefined)
      return `\`${key}\` is a key of a study, and no experiment has it: run it by \`${command}\``;
    return parent.length === 2 && parent[0] === 'arms' && LATER_ARMS.includes(key)
      ? `arms by \`${key}\` are not in this version of Assay: an arm is a \`command\`, an \`npm\` package or a \`git\` revision`
      : null;
  },
};

/** What rules can still look at. */
export function readingWithout(document: SourceDocument, faults: readonly SchemaFault[]): Reading {
  const refused = faults.filter(({ kind }) => kind !== 'missing').map(({ path }) => path);
  const troubled = new Set(faults.flatMap(({ path }) => path.map((_, length) => pathKey(path.slice(0, length + 1)))));
  const unknown = faults.filter(({ kind }) => kind === 'unknown').map(({ path }) => pathKey(path.slice(0, -1)));
  const withUnknown = new Set(unknown);
  return {
    draft: without(document.value, refused),
    document,
    troubled: (path) => troubled.has(pathKey(path)),
    hasUnknownKey: (path) => withUnknown.has(pathKey(path)),
  };
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
