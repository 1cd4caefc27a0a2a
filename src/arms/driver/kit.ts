/** What the modules that make drivers share. */
import type { LibrarySource } from '../../experiment/experiment.ts';
import type { LibraryKind, LocatedLibrary } from './library.ts';

/** A program that drives a library, as Assay ships its source. */
export interface DriverKit extends LibraryKind {
  readonly name: string;
  /** Absolute; everything in it belongs to the driver. */
  readonly directory: string;
  /** Relative to `directory`. */
  readonly sources: readonly string[];
  /** C++ text that includes the library's headers which the driver needs. */
  readonly probe: string;
  /** Options that are no matter of speed. */
  readonly warnings: readonly string[];
  /** A public header, relative to `headerFolder`, that defines the parts of the library's version. */
  readonly version: { readonly header: string; readonly macros: readonly string[] };
}

/** What a user may set, once for all arms; null: as Assay does it. */
export interface ToolchainSettings {
  readonly compiler: string | null;
  /** As `c++20`. */
  readonly standard: string | null;
  readonly flags: readonly string[] | null;
}

export interface DriverRequest {
  readonly arm: string;
  readonly source: LibrarySource;
  /** What relative paths in `source` count from, absolute. */
  readonly directory: string;
  /** Null: as it is. */
  readonly order: LinkOrder | null;
}

/** What the order of what is linked is drawn from. */
export interface LinkOrder {
  readonly seed: number;
  /** From 1: the first build is linked as it is. */
  readonly build: number;
}

/** A request whose library has been found, and put into its order. */
export interface DriverSide extends DriverRequest {
  readonly library: LocatedLibrary;
  /** In the order in which they are linked, relative to the kit's directory. */
  readonly sources: readonly string[];
  /** What of the link is in another order, for readers; null where nothing is. */
  readonly reordered: string | null;
}

/** Preprocessor and include options of one side: those that must differ, because the headers do. */
export function includeArguments({ include, defines }: LocatedLibrary): readonly string[] {
  return [
    ...defines,
    ...include.flatMap((directory) => (directory === ALWAYS_SEARCHED ? [] : ['-isystem', directory])),
  ];
}

/** Named as a directory of its own, it would come before those of the compiler, whose headers rely on the order. */
const ALWAYS_SEARCHED = '/usr/include';
