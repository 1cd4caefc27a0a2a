/**
 * The one form of a header in a bundle: POSIX ustar, a regular file, mode 0644, no owner, no extension. A header that is read
 * is written anew and compared, so that nothing in it can mean anything else to another program. (Libraries for tar accept
 * what tar files may hold; here all but one form is refused, for which their tolerance is in the way.)
 */
import { refusal } from '../refusal.ts';

export const BLOCK_BYTES = 512;
/** Eleven octal digits. */
const MOST_OCTAL = 8 ** 11 - 1;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

export interface Header {
  readonly name: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

/** The header block of a file. Throws `bundle` where its name or size does not fit into one. */
export function encodeHeader({ name, bytes, mtime }: Header): Buffer {
  const parts = splitName(name);
  if (parts === null) throw refusal(`${name} is too long a name for an archive`);
  if (bytes > MOST_OCTAL) throw refusal(`${name} is too large for an archive`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(parts.name, 0);
  block.write('0000644\0' + '0000000\0' + '0000000\0', 100);
  block.write(`${octal(bytes)}\0${octal(mtime)}\0`, 124);
  block.write('        0', 148);
  block.write('ustar\0' + '00', 257);
  block.write('0000000\0' + '0000000\0', 329);
  block.write(parts.prefix, 345);
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** What a block says, where it is a header in the one form. Throws `bundle` where it is not. */
export function decodeHeader(block: Buffer): Header {
  const name = nameOf(block);
  const at = `the header of ${JSON.stringify(name)}`;
  const stated = /^([0-7]{6})\0 $/.exec(block.toString('latin1', 148, 156))?.[1];
  const sum = Buffer.from(block);
  sum.fill(' ', 148, 156);
  if (stated === undefined || Number.parseInt(stated, 8) !== sumOf(sum)) throw refusal(`${at} has a wrong checksum`);
  const kind = String.fromCharCode(block[156] ?? 0);
  if (kind !== '0')
    throw refusal(`${JSON.stringify(name)} is ${KINDS[kind] ?? 'of an unknown kind'}, not a regular file`);
  const header = {
    name,
    bytes: octalAt(block, 124, `the size in ${at}`),
    mtime: octalAt(block, 136, `the time in ${at}`),
  };
  if (!encodeHeader(header).equals(block)) throw refusal(`${at} is not in the form that Assay writes`);
  return header;
}

const KINDS: Readonly<Record<string, string>> = {
  '\0': 'a file of an old format',
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '5': 'a folder',
  '6': 'a pipe',
  '7': 'a contiguous file',
  g: 'a global pax header',
  x: 'a pax header',
  L: 'a GNU long name',
  K: 'a GNU long link',
  S: 'a sparse file',
};

function octal(value: number): string {
  return value.toString(8).padStart(11, '0');
}

function octalAt(block: Buffer, start: number, what: string): number {
  const digits = /^([0-7]{11})\0$/.exec(block.toString('latin1', start, start + 12))?.[1];
  if (digits === undefined) throw refusal(`${what} is not written in octal digits`);
  return Number.parseInt(digits, 8);
}

function sumOf(block: Buffer): number {
  let sum = 0;
  for (const byte of block) sum += byte;
  return sum;
}

/** The name as it stands where it is short, else parted at the first slash that leaves a short one. */
function splitName(name: string): { readonly prefix: string; readonly name: string } | null {
  if (Buffer.byteLength(name) <= NAME_BYTES) return { prefix: '', name };
  for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1)) {
    const rest = name.slice(slash + 1);
    if (Buffer.byteLength(rest) > NAME_BYTES) continue;
    const prefix = name.slice(0, slash);
    return rest === '' || Buffer.byteLength(prefix) > PREFIX_BYTES ? null : { prefix, name: rest };
  }
  return null;
}

function nameOf(block: Buffer): string {
  const field = (start: number, length: number) => {
    const bytes = block.subarray(start, start + length);
    const end = bytes.indexOf(0);
    return bytes.toString('utf8', 0, end === -1 ? length : end);
  };
  const prefix = field(345, PREFIX_BYTES);
  return prefix === '' ? field(0, NAME_BYTES) : `${prefix}/${field(0, NAME_BYTES)}`;
}
