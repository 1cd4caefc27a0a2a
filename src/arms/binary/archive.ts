/** Static libraries as `ar` makes them (System V and BSD flavours): where their members lie. */
import type { ByteSource } from './elf.ts';

export type Archive =
  | { readonly kind: 'whole'; readonly members: readonly ByteSource[] }
  /** Only names its members, which lie in files of their own. */
  | { readonly kind: 'thin' }
  /** Begins as an archive, but does not go on as one. */
  | { readonly kind: 'damaged' };

const MAGIC_BYTES = 8;
const HEADER_BYTES = 60;
const MOST_MEMBERS = 1_000_000;
/** The index of symbols and the table of long names. */
const NO_MEMBER = /^(?:\/|\/\/|\/SYM64\/|__\.SYMDEF.*)$/;

/** The members of an archive, without its index; null where the bytes do not begin as one. */
export function openArchive(source: ByteSource): Archive | null {
  const magic = source.read(0, MAGIC_BYTES)?.toString('latin1');
  if (magic === '!<thin>\n') return { kind: 'thin' };
  if (magic !== '!<arch>\n') return null;
  const members: ByteSource[] = [];
  let at = MAGIC_BYTES;
  // The last member may lack its newline of padding.
  while (at < source.size) {
    const header = source.read(at, HEADER_BYTES)?.toString('latin1');
    if (header === undefined || !header.endsWith('`\n') || members.length === MOST_MEMBERS) return { kind: 'damaged' };
    const digits = header.slice(48, 58).trimEnd();
    const size = /^[0-9]{1,10}$/.test(digits) ? Number(digits) : -1;
    const start = at + HEADER_BYTES;
    if (size < 0 || start + size > source.size) return { kind: 'damaged' };
    const name = header.slice(0, 16).trimEnd();
    // BSD puts a long name before the bytes of the member.
    const named = /^#1\/([0-9]{1,5})$/.exec(name);
    const before = Math.min(Number(named?.[1] ?? 0), size);
    const bsdName = named === null ? name : (source.read(start, before)?.toString('latin1').replace(/\0+$/, '') ?? '');
    if (!NO_MEMBER.test(bsdName)) members.push(partOf(source, start + before, size - before));
    at = start + size + (size % 2);
  }
  return { kind: 'whole', members };
}

function partOf(source: ByteSource, start: number, size: number): ByteSource {
  return {
    size,
    read: (offset, length) => (offset + length > size ? null : source.read(start + offset, length)),
  };
}
