/** A document that may still have faults. */
import type { SourceDocument } from './document.ts';
import type { Path } from './fault.ts';
import type { ExperimentDocument } from './schema.ts';

/** What is there has the right form, but anything may be missing. */
type Partly<T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> | undefined)[]
  : T extends object
    ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
    : T;

/** The document without all that the schema refuses, so that rules can look at the rest. */
export type Draft = Partly<ExperimentDocument>;

/** What rules look at. */
export interface Reading {
  readonly draft: Draft;
  readonly document: SourceDocument;
  /** True where the schema refused something at the path or below it. */
  troubled(path: Path): boolean;
  /** True where the map at the path has a key that the schema does not know. */
  hasUnknownKey(path: Path): boolean;
}
