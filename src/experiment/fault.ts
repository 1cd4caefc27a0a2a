/** A mistake in a document, by its place in the data; `SourceDocument.locate` finds the place in the text. */

export type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  /** What gets the mark: the value at the path, or the key that it stands under. */
  readonly at: 'value' | 'key';
  readonly message: string;
  /** The part of the value's text that is wrong; the whole value where it is left out or cannot be found. */
  readonly within?: string;
}

/** A path as one string, to compare and to look up. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}
