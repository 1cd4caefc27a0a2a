/** What a static or shared library consists of: its object files with digests, and the compilers that made them. */
import { createHash } from 'node:crypto';
import { openArchive } from './archive.ts';
import { type ByteSource, NOBITS, openElf, visitSymbols } from './elf.ts';
import { withFile } from './facts.ts';
import { codeDigest } from './object-code.ts';

/** An object file of a static library. */
export interface ObjectFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Of its machine code; null where none is understood. */
  readonly code_sha256: string | null;
}

export interface Inventory {
  /** In their order; none of a shared library. */
  readonly objects: readonly ObjectFile[];
  /** What the compilers say of themselves, each with how many files it made, by name. */
  readonly compilers: readonly { readonly compiler: string; readonly files: number }[];
  readonly symbols: { readonly defined: number; readonly undefined: number };
}

const CHUNK_BYTES = 1 << 20;
const MOST_COMMENT_BYTES = 64 * 2 ** 10;
const LONGEST_COMPILER = 200;
const MOST_COMPILERS = 50;

/**
 * Reads a library from its first byte to its last, in bounded memory, and executes nothing.
 * @returns a predicate to the file's name where its parts cannot be told
 * @throws AssayError `file` where it cannot be read
 */
export function inventoryOf(path: string): Inventory | string {
  return withFile(path, (source) => {
    const archive = openArchive(source);
    if (archive?.kind === 'thin') return 'is a thin archive: it only names its object files, which lie elsewhere';
    if (archive?.kind === 'damaged') return 'is a damaged archive';
    const compilers = new Map<string, number>();
    const symbols = { defined: 0, undefined: 0 };
    const objects: ObjectFile[] = [];
    for (const member of archive?.members ?? []) {
      const sha256 = digestOf(member);
      if (sha256 === null) return 'became shorter while it was read';
      objects.push({ name: member.name, bytes: member.size, sha256, code_sha256: codeDigest(member) });
    }
    for (const part of archive?.members ?? [source]) {
      const elf = openElf(part);
      if (elf === null) continue;
      visitSymbols(elf, (_, defined) => {
        symbols[defined ? 'defined' : 'undefined'] += 1;
      });
      const comment = elf.sections.find(({ name, type }) => name === '.comment' && type !== NOBITS);
      const text = comment === undefined ? null : part.read(comment.offset, Math.min(comment.size, MOST_COMMENT_BYTES));
      for (const compiler of new Set(compilersIn(text?.toString('latin1') ?? ''))) {
        if (compilers.size >= MOST_COMPILERS && !compilers.has(compiler)) continue;
        compilers.set(compiler, (compilers.get(compiler) ?? 0) + 1);
      }
    }
    return {
      objects,
      compilers: [...compilers]
        .map(([compiler, files]) => ({ compiler, files }))
        .sort((a, b) => (a.compiler < b.compiler ? -1 : 1)),
      symbols,
    };
  });
}

/** Whether a file begins as a static library, also a thin one. @throws AssayError `file` where it cannot be read */
export function isArchive(path: string): boolean {
  return withFile(path, (source) => /^!<(?:arch|thin)>\n$/.test(source.read(0, 8)?.toString('latin1') ?? ''));
}

/** Null where it ends before it should. */
function digestOf(source: ByteSource): string | null {
  const hash = createHash('sha256');
  for (let at = 0; at < source.size; at += CHUNK_BYTES) {
    const bytes = source.read(at, Math.min(CHUNK_BYTES, source.size - at));
    if (bytes === null) return null;
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** What comes into `.comment` too: identifiers of version control, copyrights of assembly files. */
const NO_COMPILER = /^\$|copyright/i;

function compilersIn(comment: string): readonly string[] {
  return comment
    .split('\0')
    .map((text) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_COMPILER))
    .filter((text) => text !== '' && !NO_COMPILER.test(text));
}
