/** Where functions and data of an executable or a shared library lie, so that an address can be told by a name. */
import { type Elf, openElf, type Section, visitPlaces } from '../binary/elf.ts';
import { withFile } from '../binary/facts.ts';

/** A function: its code lies from `start` up to, and without, `end`. */
export interface CodeRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface Layout {
  /** Which symbols name functions: `exported` where a symbol table was stripped; null where there is none. */
  readonly symbols: 'all' | 'exported' | null;
  /** Whether instructions hold addresses as they are: the program cannot be loaded elsewhere. */
  readonly fixed: boolean;
  /** Sorted by address, none of them overlapping another. */
  readonly functions: readonly CodeRange[];
  /** The function that an address lies in. */
  functionAt(address: number): CodeRange | null;
  /** Where the next function starts after an address; infinite where none does. */
  nextFunction(address: number): number;
  /** The symbol of data that an address lies in, with the distance from its start. */
  dataAt(address: number): string | null;
  sectionAt(address: number): string | null;
  /** Constants as hexadecimal digits; null where no read-only constants lie there. */
  constantAt(address: number, bytes: number): string | null;
}

interface Place {
  readonly name: string;
  readonly address: number;
  readonly bytes: number;
  readonly local: boolean;
}

const MOST_SYMBOLS = 4_000_000;
const MOST_CONSTANT_BYTES = 256 * 2 ** 20;
const CONSTANTS = /^\.l?rodata(?:\.|$)/;
/** Compilers number variables within functions by how many there are in the file. */
const NUMBERED = /\.\d{1,9}$/;

/**
 * Reads the symbols of a file.
 * @returns null where it is none that can be executed or loaded
 * @throws AssayError `file` where it cannot be read
 */
export function readLayout(path: string): Layout | null {
  return withFile(path, (source) => {
    const elf = openElf(source);
    return elf === null || (elf.kind !== 'executable' && elf.kind !== 'shared') ? null : layoutOf(elf);
  });
}

function layoutOf(elf: Elf): Layout {
  const code: Place[] = [];
  const data: Place[] = [];
  const symbols = visitPlaces(elf, (name, { kind, address, bytes, local }) => {
    if (kind === 'code' && code.length < MOST_SYMBOLS) code.push({ name, address, bytes, local });
    if (kind === 'data' && bytes > 0 && data.length < MOST_SYMBOLS) data.push({ name, address, bytes, local });
  });
  const sections = elf.sections.filter(({ address, size }) => address > 0 && size > 0);
  const sectionAt = (address: number) =>
    sections.find((one) => address >= one.address && address < one.address + one.size) ?? null;
  const behind = (address: number) => {
    const section = sectionAt(address);
    return section === null ? address : section.address + section.size;
  };
  const functions = rangesOf(code, behind);
  const objects = rangesOf(data, behind);
  const constants = constantsOf(elf, sections);
  return {
    symbols: functions.length === 0 ? null : symbols,
    fixed: elf.kind === 'executable',
    functions,
    functionAt: (address) => rangeAt(functions, address),
    nextFunction: (address) => functions[lastUpTo(functions, address) + 1]?.start ?? Number.POSITIVE_INFINITY,
    dataAt: (address) => {
      const range = rangeAt(objects, address);
      if (range === null) return null;
      const distance = address - range.start;
      return range.name.replace(NUMBERED, '') + (distance === 0 ? '' : `+0x${distance.toString(16)}`);
    },
    sectionAt: (address) => sectionAt(address)?.name ?? null,
    constantAt: (address, bytes) => {
      const section = sectionAt(address);
      const whole = section === null ? undefined : constants.get(section);
      if (section === null || whole === undefined) return null;
      const at = address - section.address;
      return whole.toString('hex', at, at + bytes);
    },
  };
}

/** One range for each address: of several names the one that other files see, else the first by its letters. */
function rangesOf(places: Place[], behind: (address: number) => number): readonly CodeRange[] {
  places.sort(
    (a, b) =>
      a.address - b.address || Number(a.local) - Number(b.local) || b.bytes - a.bytes || (a.name < b.name ? -1 : 1),
  );
  const ranges: { name: string; start: number; end: number }[] = [];
  for (const { name, address, bytes } of places) {
    const last = ranges.at(-1);
    if (last?.start === address) continue;
    if (last !== undefined && last.end > address) last.end = address;
    // What is written in assembly often has no size: it ends where the next one starts, or its section does.
    ranges.push({ name, start: address, end: bytes === 0 ? behind(address) : address + bytes });
  }
  return ranges;
}

function constantsOf({ source }: Elf, sections: readonly Section[]): ReadonlyMap<Section, Buffer> {
  const found = new Map<Section, Buffer>();
  let left = MOST_CONSTANT_BYTES;
  for (const section of sections) {
    if (!CONSTANTS.test(section.name) || section.writable || section.size > left) continue;
    const bytes = source.read(section.offset, section.size);
    if (bytes === null) continue;
    left -= section.size;
    found.set(section, bytes);
  }
  return found;
}

/** The index of the last range that starts at an address or before it; -1 where none does. */
function lastUpTo(ranges: readonly CodeRange[], address: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.start ?? 0) <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function rangeAt(ranges: readonly CodeRange[], address: number): CodeRange | null {
  const range = ranges[lastUpTo(ranges, address)];
  return range !== undefined && address < range.end ? range : null;
}
