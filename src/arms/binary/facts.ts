/** What libraries and executables are made of, read from their own bytes. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DigestedFile, digestFile } from '../../io/digest.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { openArchive } from './archive.ts';
import {
  type ByteSource,
  type DynamicFacts,
  dynamicFacts,
  type Elf,
  openElf,
  sectionDigest,
  visitSymbols,
} from './elf.ts';
import { EXTERNAL_LIBRARIES, externalLibraryOf } from './external-libraries.ts';

export interface LibraryFacts extends DigestedFile {
  readonly linkage: 'static' | 'shared';
  /** Object files of a static library; 1 for a shared one. */
  readonly objects: number;
  /** How many of them can fail an assertion. */
  readonly asserting_objects: number;
  /** False where symbols are hidden from us: objects for link-time optimisation only, or no symbol table. */
  readonly symbols_known: boolean;
  /** Whether run-time type information of the class asked for is there. */
  readonly rtti: 'yes' | 'no' | 'unknown';
  readonly dynamic: DynamicFacts;
  /** Names of EXTERNAL_LIBRARIES that it uses or contains. */
  readonly uses: readonly string[];
  /** Those of `uses` whose functions a static library leaves to others. */
  readonly lacks: readonly string[];
  /** SHA-256 of a shared library's machine code. */
  readonly text_sha256: string | null;
  /** The text that follows the mark asked for. */
  readonly marked: string | null;
}

export interface ExecutableFacts extends DigestedFile {
  readonly dynamic: DynamicFacts;
  readonly text_sha256: string | null;
  readonly asserting: boolean;
  readonly marked: string | null;
}

/** What to look for in a library. */
export interface LibraryMarks {
  /** A class with virtual functions, as `rocksdb::EventListener`. */
  readonly rttiClass: string;
  /** Text that stands in the library directly before what tells one build from another; null where none does. */
  readonly mark: string | null;
}

const CHUNK_BYTES = 1 << 20;
const MOST_MARKED = 100;
const ASSERTION_FAILURES = new Set(['__assert_fail', '__assert_perror_fail', '__assert']);
const NO_NAME = /\p{Cc}|\p{Cf}/u;
const NO_DYNAMIC: DynamicFacts = { needed: [], soname: null, rpath: [], runpath: [] };

/**
 * Reads a static or shared library for this kind of machine, in bounded memory.
 * @returns a predicate to the file's name where it is no such library
 * @throws AssayError `file` where it cannot be read
 */
export async function libraryFacts(path: string, marks: LibraryMarks): Promise<LibraryFacts | string> {
  const digest = await digestFile(path);
  if (digest === null) return 'is no regular file';
  return withFile(path, (source) => {
    const archive = openArchive(source);
    if (archive?.kind === 'thin') return 'is a thin archive: it only names its objects, which may change behind it';
    if (archive?.kind === 'damaged') return 'is a damaged archive';
    const elves = (archive?.members ?? [source]).map(openElf).filter((elf) => elf !== null);
    const [whole] = elves;
    if (whole === undefined) {
      return archive === null
        ? 'is neither a static nor a shared library'
        : 'holds no object files of a 64-bit little-endian machine';
    }
    if (archive === null && whole.kind !== 'shared') return 'is neither a static nor a shared library';
    const symbols = symbolFacts(elves, marks.rttiClass);
    const dynamic = archive === null ? dynamicFacts(whole) : NO_DYNAMIC;
    // These names come into messages and records.
    if ([dynamic.soname ?? '', ...dynamic.needed].some((name) => NO_NAME.test(name)))
      return 'has control characters in a name';
    const unreadable = elves.length < (archive?.members.length ?? 1);
    const uses = EXTERNAL_LIBRARIES.filter(
      ({ name, soname }) => symbols.uses.has(name) || dynamic.needed.some((needed) => isSoname(needed, soname)),
    );
    return {
      ...digest,
      linkage: archive === null ? 'shared' : 'static',
      objects: elves.length,
      asserting_objects: symbols.asserting,
      symbols_known: symbols.known && !unreadable,
      rtti: symbols.rtti === 'no' && unreadable ? 'unknown' : symbols.rtti,
      dynamic,
      uses: uses.map(({ name }) => name),
      lacks: archive === null ? [] : [...symbols.lacks],
      text_sha256: archive === null ? sectionDigest(whole, '.text') : null,
      marked: markedText(source, marks.mark),
    };
  });
}

/**
 * Reads an executable.
 * @returns null where it is none that is understood
 * @throws AssayError `file` where it cannot be read
 */
export async function executableFacts(path: string, mark: string | null): Promise<ExecutableFacts | null> {
  const digest = await digestFile(path);
  if (digest === null) return null;
  return withFile(path, (source) => {
    const elf = openElf(source);
    if (elf === null) return null;
    let asserting = false;
    visitSymbols(elf, (name, defined) => {
      if (!defined && ASSERTION_FAILURES.has(unversioned(name))) asserting = true;
    });
    return {
      ...digest,
      dynamic: dynamicFacts(elf),
      text_sha256: sectionDigest(elf, '.text'),
      asserting,
      marked: markedText(source, mark),
    };
  });
}

/**
 * The file that the dynamic loader takes for a needed name, as far as the executable and LD_LIBRARY_PATH decide it
 * (ld.so(8)): a name with a slash is a path, else `rpath` unless there is a `runpath`, LD_LIBRARY_PATH, `runpath`.
 * @param executable its absolute path, for `$ORIGIN`
 * @returns its real path; null where only the system's own directories are left
 */
export async function loadedLibrary(
  needed: string,
  executable: string,
  { rpath, runpath }: DynamicFacts,
  libraryPath: string | undefined,
): Promise<string | null> {
  const origin = (path: string) => path.replaceAll(/\$ORIGIN|\$\{ORIGIN\}/g, () => dirname(executable));
  if (needed.includes('/')) return realpath(needed).catch(() => null);
  const fromEnvironment = (libraryPath ?? '').split(/[:;]/).filter((directory) => directory !== '');
  for (const directory of [...(runpath.length === 0 ? rpath : []), ...fromEnvironment, ...runpath]) {
    const found = await realpath(join(origin(directory), needed)).catch(() => null);
    if (found !== null) return found;
  }
  return null;
}

/** Whether a needed name is a version of an unversioned one: `libz.so.1` of `libz.so`. */
export function isSoname(needed: string, unversioned: string): boolean {
  const name = needed.slice(needed.lastIndexOf('/') + 1);
  return name === unversioned || name.startsWith(`${unversioned}.`);
}

interface SymbolFacts {
  readonly asserting: number;
  readonly known: boolean;
  readonly rtti: LibraryFacts['rtti'];
  readonly uses: ReadonlySet<string>;
  readonly lacks: ReadonlySet<string>;
}

function symbolFacts(elves: readonly Elf[], rttiClass: string): SymbolFacts {
  const nested = mangledName(rttiClass);
  const typeinfo = `_ZTI${nested}`;
  const vtable = `_ZTV${nested}`;
  const external = new Map<string, { readonly library: string; defined: boolean }>();
  let asserting = 0;
  let known = true;
  let hasTypeinfo = false;
  let hasVtable = false;
  for (const elf of elves) {
    let asserts = false;
    let deferred = false;
    const count = visitSymbols(elf, (name, defined) => {
      if (!defined && ASSERTION_FAILURES.has(unversioned(name))) asserts = true;
      if (name === '__gnu_lto_slim') deferred = true;
      if (defined && name === typeinfo) hasTypeinfo = true;
      if (name === vtable) hasVtable = true;
      const library = externalLibraryOf(name)?.name;
      if (library === undefined) return;
      const seen = external.get(name) ?? { library, defined: false };
      seen.defined ||= defined;
      external.set(name, seen);
    });
    // An object without any symbol is an empty one; a shared library without any hides them.
    if (count === null || deferred || (count === 0 && elf.kind === 'shared')) known = false;
    if (asserts) asserting += 1;
  }
  const names = [...external.values()];
  return {
    asserting,
    known,
    rtti: hasTypeinfo ? 'yes' : known && hasVtable ? 'no' : 'unknown',
    uses: new Set(names.map(({ library }) => library)),
    lacks: new Set(names.filter(({ defined }) => !defined).map(({ library }) => library)),
  };
}

/** A class's name as C++ symbols have it (Itanium C++ ABI, 5.1). */
function mangledName(qualified: string): string {
  const parts = qualified.split('::').map((part) => `${part.length}${part}`);
  return parts.length === 1 ? parts.join('') : `N${parts.join('')}E`;
}

function unversioned(symbol: string): string {
  return symbol.split('@')[0] ?? symbol;
}

/** The printable text right after the first mark. */
function markedText(source: ByteSource, mark: string | null): string | null {
  if (mark === null) return null;
  const step = CHUNK_BYTES - mark.length - MOST_MARKED;
  for (let at = 0; at < source.size; at += step) {
    const bytes = source.read(at, Math.min(CHUNK_BYTES, source.size - at));
    if (bytes === null) return null;
    const found = bytes.indexOf(mark, 0, 'latin1');
    // One that begins in the overlap is read whole with the next piece.
    if (found === -1 || (found >= step && at + step < source.size)) continue;
    const after = bytes.toString('latin1', found + mark.length, found + mark.length + MOST_MARKED);
    return /^[\x20-\x7e]*/.exec(after)?.[0] ?? null;
  }
  return null;
}

/** Reads in a file, which is closed again afterwards. @throws AssayError `file` where it cannot be read */
export function withFile<T>(path: string, read: (source: ByteSource) => T): T {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      return read({ size, read: (offset, length) => readAt(file, size, offset, length) });
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileFailure(error, path, 'read');
  }
}

function readAt(file: number, size: number, offset: number, length: number): Buffer | null {
  if (!(offset >= 0 && length >= 0 && offset + length <= size)) return null;
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) return null;
    done += count;
  }
  return bytes;
}
