/**
 * Just enough of the ELF format (64-bit, little-endian: System V ABI, chapters 4 and 5) to say what a binary is made of,
 * where no binutils need be installed. The file may be damaged or made to mislead: every offset is checked, memory and
 * time are bounded, nothing throws.
 */
import { createHash } from 'node:crypto';

/** Bytes of a file or of a part of it. */
export interface ByteSource {
  readonly size: number;
  /** Exactly these bytes; null where they do not all lie within. */
  read(offset: number, length: number): Buffer | null;
}

export interface Section {
  readonly name: string;
  readonly type: number;
  /** Where it lies in memory; 0 where it does not. */
  readonly address: number;
  readonly writable: boolean;
  /** Machine code. */
  readonly executable: boolean;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  /** Of relocations, the section that they are of. */
  readonly info: number;
  readonly entry_size: number;
}

/** Where a symbol lies. */
export interface SymbolPlace {
  readonly address: number;
  readonly bytes: number;
  readonly kind: 'code' | 'data' | 'other';
  /** Not seen by other files. */
  readonly local: boolean;
}

export interface Elf {
  readonly source: ByteSource;
  readonly kind: 'relocatable' | 'executable' | 'shared' | 'other';
  /** The kind of machine, as the format numbers them. */
  readonly machine: number;
  readonly sections: readonly Section[];
}

/** What the dynamic loader is told. */
export interface DynamicFacts {
  readonly needed: readonly string[];
  readonly soname: string | null;
  /** Searched before LD_LIBRARY_PATH, where there is no `runpath`. */
  readonly rpath: readonly string[];
  /** Searched after LD_LIBRARY_PATH. */
  readonly runpath: readonly string[];
}

const FILE_HEADER_BYTES = 64;
const SECTION_HEADER_BYTES = 64;
export const SYMBOL_BYTES = 24;
const DYNAMIC_BYTES = 16;
const MOST_SECTIONS = 1 << 18;
const MOST_TABLE_BYTES = 256 * 2 ** 20;
/** Names of templates can be very long; none that is looked for is. */
const MOST_NAME_BYTES = 512;
/** Where functions are told apart by name, their parameters are part of it. */
const MOST_PLACED_NAME_BYTES = 4096;
const WRITABLE = 1n;
const EXECUTABLE = 4n;
const SYMBOL_KINDS: Readonly<Record<number, SymbolPlace['kind']>> = { 1: 'data', 2: 'code', 10: 'code' };
const MOST_DYNAMIC_ENTRIES = 4096;
const CHUNK_BYTES = SYMBOL_BYTES << 15;

const NO_SECTION: Section = {
  name: '',
  type: 0,
  address: 0,
  writable: false,
  executable: false,
  offset: 0,
  size: 0,
  link: 0,
  info: 0,
  entry_size: 0,
};
export const NOBITS = 8;
export const SYMTAB = 2;
const DYNAMIC = 6;
const DYNSYM = 11;
const KINDS: Readonly<Record<number, Elf['kind']>> = { 1: 'relocatable', 2: 'executable', 3: 'shared' };
const TAG = { end: 0, needed: 1, soname: 14, rpath: 15, runpath: 29 };

/** Null where the bytes are no 64-bit little-endian ELF file with readable section headers. */
export function openElf(source: ByteSource): Elf | null {
  const header = source.read(0, FILE_HEADER_BYTES);
  if (header === null || header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) return null;
  const table = number64(header, 40);
  if (table === 0 || header.readUInt16LE(58) !== SECTION_HEADER_BYTES) return null;
  const first = source.read(table, SECTION_HEADER_BYTES);
  if (first === null) return null;
  // Counts that do not fit into 16 bits stand in the first section header.
  const count = header.readUInt16LE(60) || number64(first, 32);
  const names = header.readUInt16LE(62) === 0xffff ? first.readUInt32LE(40) : header.readUInt16LE(62);
  if (count > MOST_SECTIONS) return null;
  const headers = source.read(table, count * SECTION_HEADER_BYTES);
  if (headers === null) return null;
  const nameTable = tableBytes(source, sectionAt(headers, names, null));
  const sections = Array.from({ length: count }, (_, index) => sectionAt(headers, index, nameTable)).map(
    (section) => section ?? NO_SECTION,
  );
  const kind = KINDS[header.readUInt16LE(16)] ?? 'other';
  return { source, kind, machine: header.readUInt16LE(18), sections };
}

/** SHA-256 of a section's bytes; null where it has none. Read in pieces. */
export function sectionDigest({ source, sections }: Elf, name: string): string | null {
  const section = sections.find((one) => one.name === name && one.type !== NOBITS);
  if (section === undefined || section.offset + section.size > source.size) return null;
  const hash = createHash('sha256');
  for (let at = 0; at < section.size; at += CHUNK_BYTES) {
    const bytes = source.read(section.offset + at, Math.min(CHUNK_BYTES, section.size - at));
    if (bytes === null) return null;
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** What the dynamic section says; empty where there is none. */
export function dynamicFacts({ source, sections }: Elf): DynamicFacts {
  const found: Record<'needed' | 'soname' | 'rpath' | 'runpath', string[]> = {
    needed: [],
    soname: [],
    rpath: [],
    runpath: [],
  };
  const section = sections.find(({ type }) => type === DYNAMIC);
  const strings = section === undefined ? null : tableBytes(source, sections[section.link] ?? null);
  if (section !== undefined && strings !== null) {
    for (
      let at = 0;
      at + DYNAMIC_BYTES <= section.size && at < MOST_DYNAMIC_ENTRIES * DYNAMIC_BYTES;
      at += DYNAMIC_BYTES
    ) {
      const entry = source.read(section.offset + at, DYNAMIC_BYTES);
      const tag = entry === null ? TAG.end : number64(entry, 0);
      if (entry === null || tag === TAG.end) break;
      const text = () => nameAt(strings, number64(entry, 8), 'utf8');
      if (tag === TAG.needed) found.needed.push(text());
      if (tag === TAG.soname) found.soname.push(text());
      if (tag === TAG.rpath) found.rpath.push(...directories(text()));
      if (tag === TAG.runpath) found.runpath.push(...directories(text()));
    }
  }
  return { needed: found.needed, soname: found.soname[0] ?? null, rpath: found.rpath, runpath: found.runpath };
}

/**
 * Calls `visit` with every named symbol of the symbol table and of the dynamic one. Names are raw (C++ names are
 * mangled) and cut after 512 bytes.
 * @returns how many symbols there were; null where a table could not be read whole
 */
export function visitSymbols(elf: Elf, visit: (name: string, defined: boolean) => void): number | null {
  let symbols = 0;
  for (const type of [SYMTAB, DYNSYM]) {
    const visited = visitTable(elf, type, MOST_NAME_BYTES, visit);
    if (visited === null) return null;
    symbols += visited;
  }
  return symbols;
}

/**
 * Calls `visit` with every named symbol that is defined: of the symbol table, or where there is none of the dynamic one,
 * which has only what other files may use. Names are raw and cut after 4096 bytes.
 * @returns which table it was; null where there is none, or it could not be read whole
 */
export function visitPlaces(elf: Elf, visit: (name: string, place: SymbolPlace) => void): 'all' | 'exported' | null {
  const whole = elf.sections.some(({ type }) => type === SYMTAB);
  const visited = visitTable(elf, whole ? SYMTAB : DYNSYM, MOST_PLACED_NAME_BYTES, (name, defined, entry) => {
    if (!defined) return;
    const info = entry[4] ?? 0;
    visit(name, {
      address: number64(entry, 8),
      bytes: number64(entry, 16),
      kind: SYMBOL_KINDS[info & 0xf] ?? 'other',
      local: info >> 4 === 0,
    });
  });
  return visited === null || visited === 0 ? null : whole ? 'all' : 'exported';
}

function visitTable(
  { source, sections }: Elf,
  type: number,
  mostNameBytes: number,
  visit: (name: string, defined: boolean, entry: Buffer) => void,
): number | null {
  const section = sections.find((one) => one.type === type);
  if (section === undefined) return 0;
  const strings = tableBytes(source, sections[section.link] ?? null);
  if (strings === null || section.entry_size !== SYMBOL_BYTES) return null;
  let symbols = 0;
  for (let at = 0; at < section.size; at += CHUNK_BYTES) {
    const chunk = source.read(section.offset + at, Math.min(CHUNK_BYTES, section.size - at));
    if (chunk === null) return null;
    for (let start = 0; start + SYMBOL_BYTES <= chunk.length; start += SYMBOL_BYTES) {
      const name = nameAt(strings, chunk.readUInt32LE(start), 'latin1', mostNameBytes);
      if (name === '') continue;
      symbols += 1;
      visit(name, chunk.readUInt16LE(start + 6) !== 0, chunk.subarray(start, start + SYMBOL_BYTES));
    }
  }
  return symbols;
}

function sectionAt(headers: Buffer, index: number, names: Buffer | null): Section | null {
  const at = index * SECTION_HEADER_BYTES;
  if (at + SECTION_HEADER_BYTES > headers.length) return null;
  const flags = headers.readBigUInt64LE(at + 8);
  return {
    name: names === null ? '' : nameAt(names, headers.readUInt32LE(at)),
    type: headers.readUInt32LE(at + 4),
    address: number64(headers, at + 16),
    writable: (flags & WRITABLE) !== 0n,
    executable: (flags & EXECUTABLE) !== 0n,
    offset: number64(headers, at + 24),
    size: number64(headers, at + 32),
    link: headers.readUInt32LE(at + 40),
    info: headers.readUInt32LE(at + 44),
    entry_size: number64(headers, at + 56),
  };
}

/** All bytes of a section that is read as a table; null where there is none, or it is too large. */
export function tableBytes(source: ByteSource, section: Section | null): Buffer | null {
  if (section === null || section.type === NOBITS || section.size > MOST_TABLE_BYTES) return null;
  return source.read(section.offset, section.size);
}

/** The name that begins at a place of a table of names; empty where none does. */
export function nameAt(
  table: Buffer,
  at: number,
  encoding: 'latin1' | 'utf8' = 'latin1',
  most = MOST_NAME_BYTES,
): string {
  if (at >= table.length) return '';
  // Bounded before the search: a table without an end of any name would be searched whole for every symbol.
  const name = table.subarray(at, at + most);
  const end = name.indexOf(0);
  return name.toString(encoding, 0, end === -1 ? name.length : end);
}

/** Offsets beyond what a file can have stay beyond it. */
function number64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

function directories(path: string): readonly string[] {
  return path.split(':').filter((directory) => directory !== '');
}
