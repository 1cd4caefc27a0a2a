/** A text as a document of a certain form, or all that is wrong with it, each fault at its place. */
import type { Located } from '../failures.ts';
import { readDocument, type SourceDocument } from './document.ts';
import type { Fault } from './fault.ts';
import { type DocumentForm, type SchemaFault, schemaFaults } from './schema-faults.ts';

export type CheckedDocument =
  | { readonly ok: true; readonly document: SourceDocument }
  /** All that is wrong, in the order of the text. */
  | { readonly ok: false; readonly errors: readonly Located[] };

/**
 * Reads YAML or JSON and checks it by a schema, and by rules that look at several places at once. Never throws, whatever the text; time and
 * memory are bounded.
 * @param rules told what the schema refuses
 */
export function readChecked(
  text: string,
  form: DocumentForm,
  rules: (document: SourceDocument, refused: readonly SchemaFault[]) => readonly Fault[],
): CheckedDocument {
  // A byte order mark would shift the columns of the first line.
  const { document, syntax, faults } = readDocument(text.replace(/^\uFEFF/, ''));
  if (document === null) return refuse([...syntax, ...faults]);
  const refused = schemaFaults(document, form);
  if (syntax.length > 0) {
    const there = refused.filter(({ kind }) => kind !== 'missing').map(document.locate);
    return refuse([...syntax, ...before(syntax, [...faults, ...elsewhere(faults, there)])]);
  }
  const broken = rules(document, refused);
  const errors = [...faults, ...elsewhere(faults, [...refused, ...broken].map(document.locate))];
  return errors.length > 0 ? refuse(errors) : { ok: true, document };
}

/** After an error in the syntax the data may be anything; what stands on the lines before it is as it was meant. */
function before(syntax: readonly Located[], errors: readonly Located[]): Located[] {
  const firstLine = Math.min(...syntax.map(({ line }) => line));
  return errors.filter(({ line }) => line < firstLine);
}

/** An alias that could not be followed is nothing, which the schema refuses once more. */
function elsewhere(said: readonly Located[], errors: readonly Located[]): Located[] {
  const places = new Set(said.map(placeOf));
  return errors.filter((error) => !places.has(placeOf(error)));
}

function refuse(errors: readonly Located[]): CheckedDocument {
  const unique = new Map(errors.map((error) => [`${placeOf(error)} ${error.message}`, error]));
  return { ok: false, errors: [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column) };
}

function placeOf({ line, column }: Located): string {
  return `${line}:${column}`;
}
