/**
 * The machine code of an object file as a digest: its instructions, and what the linker puts into them, by name. Two files with
 * the same digest disassemble to the same, whatever they hold for debuggers and however they number their symbols.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  type ByteSource,
  type Elf,
  NOBITS,
  nameAt,
  openElf,
  type Section,
  SYMBOL_BYTES,
  SYMTAB,
  tableBytes,
} from './elf.ts';

const CHUNK_BYTES = 1 << 20;
/** Relocations that become one text. */
const BATCH = 1 << 12;
const RELA = 4;
const REL = 9;
const RELA_BYTES = 24;
const REL_BYTES = 16;
const SECTION_SYMBOL = 3;
/** What the linker compiles only later: the instructions beside it are not those of the program. */
const FOR_THE_LINKER = /^\.(?:gnu\.lto_|llvm)/;

/** SHA-256 of the machine code; null where the file is no object file that is understood. */
export function codeDigest(source: ByteSource): string | null {
  const elf = openElf(source);
  if (elf === null || elf.kind !== 'relocatable') return null;
  const { machine, sections } = elf;
  if (sections.some(({ name }) => FOR_THE_LINKER.test(name))) return null;
  const code = sections.flatMap((section, index) =>
    section.executable && section.type !== NOBITS && section.size > 0 ? [{ section, index }] : [],
  );
  const relocations = new Map<number, Section[]>();
  for (const section of sections) {
    if (section.type !== RELA && section.type !== REL) continue;
    const others = relocations.get(section.info);
    if (others === undefined) relocations.set(section.info, [section]);
    else others.push(section);
  }
  const read = code.flatMap(({ section, index }) => [section, ...(relocations.get(index) ?? [])]);
  // Sections of a true file do not overlap; others would be read again and again.
  if (read.reduce((sum, { size }) => sum + size, 0) > source.size) return null;
  const names = symbolNames(elf);
  const hash = createHash('sha256').update(`assay-code-1 ${machine}\n`);
  for (const { section, index } of code) {
    hash.update(`${section.name}\0${section.size}\0`);
    if (!addBytes(hash, source, section)) return null;
    for (const one of relocations.get(index) ?? []) if (!addRelocations(hash, source, one, names)) return null;
  }
  return hash.digest('hex');
}

function addBytes(hash: Hash, source: ByteSource, { offset, size }: Section): boolean {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const bytes = source.read(offset + at, Math.min(CHUNK_BYTES, size - at));
    if (bytes === null) return false;
    hash.update(bytes);
  }
  return true;
}

/** Where something is put in, how, with what distance, and the name of what it is. */
function addRelocations(hash: Hash, source: ByteSource, section: Section, nameOf: SymbolNames): boolean {
  const bytes = section.type === RELA ? RELA_BYTES : REL_BYTES;
  if (section.entry_size !== bytes || section.size % bytes !== 0) return false;
  const most = BATCH * bytes;
  for (let at = 0; at < section.size; at += most) {
    const chunk = source.read(section.offset + at, Math.min(most, section.size - at));
    if (chunk === null) return false;
    // As one text, bytes as characters of the same number: a call of the hash for each would take most of the time.
    const bare = chunk.toString('latin1');
    let text = '';
    for (let start = 0; start < chunk.length; start += bytes) {
      const name = nameOf(section.link, chunk.readUInt32LE(start + 12));
      if (name === null) return false;
      // The number of the symbol is left out.
      text += `${bare.slice(start, start + 12)}${bare.slice(start + 16, start + bytes)}${name}\0`;
    }
    hash.update(text, 'latin1');
  }
  return true;
}

/** What a symbol is called, by the number of its table and its own; null where that is not understood. */
type SymbolNames = (table: number, symbol: number) => string | null;

function symbolNames({ source, sections }: Elf): SymbolNames {
  // An object file has one table, which is read once.
  const only = sections.findIndex(({ type }) => type === SYMTAB);
  const section = sections[only];
  if (section === undefined) return () => null;
  const table = tableBytes(source, section);
  const strings = tableBytes(source, sections[section.link] ?? null);
  if (table === null || strings === null) return () => null;
  const labels = labelsOf(sections);
  const known = new Map<number, string | null>();
  const read = (symbol: number) => {
    const at = symbol * SYMBOL_BYTES;
    if (at + SYMBOL_BYTES > table.length) return null;
    const isSection = ((table[at + 4] ?? 0) & 0xf) === SECTION_SYMBOL;
    return isSection ? (labels[table.readUInt16LE(at + 6)] ?? null) : nameAt(strings, table.readUInt32LE(at));
  };
  return (index, symbol) => {
    if (index !== only) return null;
    const name = known.get(symbol) ?? read(symbol);
    known.set(symbol, name);
    return name;
  };
}

/** Sections by their names, and those that share one by their order: numbers of sections change with what is there for debuggers. */
function labelsOf(sections: readonly Section[]): readonly string[] {
  const seen = new Map<string, number>();
  return sections.map(({ name }) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return `section ${name} ${before}`;
  });
}
