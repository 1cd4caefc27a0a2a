/** Static libraries and object files in memory, made without `ar` or a compiler. */
import type { ByteSource } from '../src/arms/binary/elf.ts';

const MAGIC = '!<arch>\n';

interface ExampleMember {
  /** The name field as it stands in the header, at most 16 bytes. */
  readonly field: string;
  readonly content: Buffer | string;
  /** The size in the header, where it is not that of the content. */
  readonly size?: string;
}

/** An archive of such members, one after the other. */
export function exampleArchive(members: readonly ExampleMember[], magic = MAGIC): Buffer {
  const parts = members.flatMap(({ field, content, size }) => {
    const bytes = Buffer.from(content);
    const header = `${field.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}`;
    const ends = `${(size ?? String(bytes.length)).padEnd(10)}\`\n`;
    return [Buffer.from(header + ends), bytes, Buffer.alloc(bytes.length % 2, '\n')];
  });
  return Buffer.concat([Buffer.from(magic), ...parts]);
}

export interface CountedSource extends ByteSource {
  /** How many bytes were asked for so far. */
  read_bytes: number;
}

/** Bytes in memory that count how many of them are read. */
export function memorySource(bytes: Buffer): CountedSource {
  return {
    size: bytes.length,
    read_bytes: 0,
    read(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length)) return null;
      this.read_bytes += length;
      return Buffer.from(bytes.subarray(offset, offset + length));
    },
  };
}

interface ExampleObject {
  readonly code?: Buffer;
  /** What is put into the code, by name; `null` for the section of the code itself. */
  readonly calls?: readonly (string | null)[];
  readonly data?: string;
  /** Sections before all others, as those for debuggers: they change the numbers of sections and symbols. */
  readonly before?: readonly string[];
  readonly machine?: number;
}

/** An object file for a 64-bit little-endian machine: machine code with relocations, data, symbols. */
export function exampleObject(options: ExampleObject = {}): Buffer {
  const { code = Buffer.from('code'), calls = [], data = 'data', before = [], machine = 62 } = options;
  let strings = '\0';
  const symbol = (name: string | null, section: number) => {
    const bytes = Buffer.alloc(24);
    if (name === null) bytes[4] = 3;
    else {
      bytes.writeUInt32LE(strings.length, 0);
      strings += `${name}\0`;
    }
    bytes.writeUInt16LE(section, 6);
    return bytes;
  };
  const text = before.length + 1;
  const symbols = [
    Buffer.alloc(24),
    ...before.map((name) => symbol(`.L${name}`, 0)),
    ...calls.map((name) => symbol(name, name === null ? text : 0)),
  ];
  const relocations = calls.map((_, at) => {
    const bytes = Buffer.alloc(24);
    bytes.writeBigUInt64LE(BigInt(8 * at), 0);
    bytes.writeUInt32LE(4, 8);
    bytes.writeUInt32LE(1 + before.length + at, 12);
    bytes.writeBigInt64LE(-4n, 16);
    return bytes;
  });
  const sections: [
    name: string,
    type: number,
    flags: number,
    content: Buffer,
    link: number,
    info: number,
    entry: number,
  ][] = [
    ['', 0, 0, Buffer.alloc(0), 0, 0, 0],
    ...before.map((name): (typeof sections)[number] => [name, 1, 0, Buffer.from(`of ${name}`), 0, 0, 0]),
    ['.text', 1, 6, code, 0, 0, 0],
    ['.rela.text', 4, 0, Buffer.concat(relocations), text + 3, text, 24],
    ['.data', 1, 3, Buffer.from(data), 0, 0, 0],
    ['.symtab', 2, 0, Buffer.concat(symbols), text + 4, 1, 24],
    ['.strtab', 3, 0, Buffer.from(strings, 'latin1'), 0, 0, 0],
    ['.comment', 1, 0, Buffer.from('\0Example compiler 1.0\0Other\u001b[2J 2\0'), 0, 0, 0],
  ];
  const names = [...sections.map(([name]) => name), '.shstrtab'];
  sections.push(['.shstrtab', 3, 0, Buffer.from(`${names.join('\0')}\0`), 0, 0, 0]);
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(1, 16);
  header.writeUInt16LE(machine, 18);
  header.writeBigUInt64LE(BigInt(64 + sections.reduce((sum, [, , , content]) => sum + content.length, 0)), 40);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(sections.length, 60);
  header.writeUInt16LE(sections.length - 1, 62);
  let offset = 64;
  const headers = sections.map(([, type, flags, content, link, info, entry], at) => {
    const bytes = Buffer.alloc(64);
    bytes.writeUInt32LE(names.slice(0, at).join('\0').length + (at === 0 ? 0 : 1), 0);
    bytes.writeUInt32LE(type, 4);
    bytes.writeBigUInt64LE(BigInt(flags), 8);
    bytes.writeBigUInt64LE(BigInt(offset), 24);
    bytes.writeBigUInt64LE(BigInt(content.length), 32);
    bytes.writeUInt32LE(link, 40);
    bytes.writeUInt32LE(info, 44);
    bytes.writeBigUInt64LE(BigInt(entry), 56);
    offset += content.length;
    return bytes;
  });
  return Buffer.concat([header, ...sections.map(([, , , content]) => content), ...headers]);
}
