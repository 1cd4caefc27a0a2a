/**
 * Static libraries as `ar` makes them (System V, GNU and BSD flavours): where their members lie, and their names. Nothing of a
 * member is read here. The file may be damaged or made to mislead: every offset is checked, memory is bounded, nothing throws.
 */
import type { ByteSource } from './elf.ts';

/** The bytes of a member. */
interface Member extends ByteSource {
  /** As the archive has it; several members may share one. */
  readonly name: string;
}

export type Archive =
  | { readonly kind: 'whole'; readonly members: readonly Member[] }
  /** Only names its members, which lie in files of their own. */
  | { readonly kind: 'thin' }
  /** Begins as an archive, but does not go on as one. */
  | { readonly kind: 'damaged' };

const MAGIC_BYTES = 8;
const HEADER_BYTES = 60;
const NAME_FIELD_BYTES = 16;
const MOST_MEMBERS = 200_000;
/** Of one name; and of all, since many members may point to one long name. */
const MOST_NAME_BYTES = 1024;
const MOST_NAMES_BYTES = 32 * 2 ** 20;
const MOST_TABLE_BYTES = 32 * 2 ** 20;
/** The index of symbols and the table of long names. */
const NO_MEMBER = /^(?:\/|\/\/|\/SYM64\/|__\.SYMDEF.*)$/;

/** The members of an archive, without its index; null where the bytes do not begin as one. */
export function openArchive(source: ByteSource): Archive | null {
  const magic = source.read(0, MAGIC_BYTES)?.toString('latin1');
  if (magic === '!<thin>\n') return { kind: 'thin' };
  if (magic !== '!<arch>\n') return null;
  const members: Member[] = [];
  let table: Buffer | null = null;
  let nameBytes = 0;
  let at = MAGIC_BYTES;
  // The last member may lack its newline of padding.
  while (at < source.size) {
    const header = source.read(at, HEADER_BYTES);
    if (header === null || header.toString('latin1', 58) !== '`\n' || members.length === MOST_MEMBERS) {
      return { kind: 'damaged' };
    }
    const size = decimal(header.toString('latin1', 48, 58).trimEnd(), 10);
    const start = at + HEADER_BYTES;
    if (size === null || start + size > source.size) return { kind: 'damaged' };
    const field = header.toString('utf8', 0, NAME_FIELD_BYTES).trimEnd();
    if (field === '//' && size <= MOST_TABLE_BYTES) table ??= source.read(start, size);
    const { name, before, isIndex } = nameOf(field, table, source, start, size);
    nameBytes += name.length;
    if (nameBytes > MOST_NAMES_BYTES) return { kind: 'damaged' };
    if (!isIndex) members.push({ name, ...partOf(source, start + before, size - before) });
    at = start + size + (size % 2);
  }
  return { kind: 'whole', members };
}

interface MemberName {
  readonly name: string;
  /** How many bytes of it stand before the content. */
  readonly before: number;
  readonly isIndex: boolean;
}

/** What a member is called. A reference to a name that leads nowhere is the name. */
function nameOf(field: string, table: Buffer | null, source: ByteSource, start: number, size: number): MemberName {
  // BSD puts a long name before the bytes of the member.
  if (field.startsWith('#1/')) {
    const before = Math.min(decimal(field.slice(3), 5) ?? 0, size);
    const name = upTo(source.read(start, Math.min(before, MOST_NAME_BYTES)) ?? Buffer.alloc(0), 0) || field;
    return { name, before, isIndex: NO_MEMBER.test(name) };
  }
  const isIndex = NO_MEMBER.test(field);
  // GNU has a table of long names, each ending with a slash and a line.
  const offset = field.startsWith('/') ? decimal(field.slice(1), 15) : null;
  if (offset !== null && table !== null && offset < table.length) {
    // Bounded before the search: a table without any end would be searched whole for every member.
    const name = upTo(table.subarray(offset, offset + MOST_NAME_BYTES), LINE_END).replace(/\/$/, '');
    return { name: name || field, before: 0, isIndex };
  }
  // A short one ends with a slash, so that it may end with spaces.
  return { name: isIndex || field === '' ? field : field.replace(/(?<=.)\/$/, ''), before: 0, isIndex };
}

const LINE_END = 0x0a;

/** The text before the first such byte. */
function upTo(bytes: Buffer, byte: number): string {
  const end = bytes.indexOf(byte);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

/** Null where the text is anything but a few digits. */
function decimal(text: string, most: number): number | null {
  return text.length > 0 && text.length <= most && /^[0-9]+$/.test(text) ? Number(text) : null;
}

function partOf(source: ByteSource, start: number, size: number): ByteSource {
  return {
    size,
    read: (offset, length) => (offset >= 0 && offset + length <= size ? source.read(start + offset, length) : null),
  };
}
