/** Small ELF files, made without a compiler. */

interface ExampleElf {
  readonly text: Buffer;
  /** Names by the dynamic tag that they stand under. */
  readonly dynamic: Readonly<Record<number, readonly string[]>>;
  readonly symbols: readonly { readonly name: string; readonly defined: boolean }[];
  /** Every symbol points to the name of the first. */
  readonly shareNames?: boolean;
}

/** A shared object with the sections .text, .dynstr, .dynsym, .dynamic and .shstrtab; its section headers come last. */
export function exampleElf({ text, dynamic, symbols, shareNames = false }: ExampleElf): Buffer {
  let strings = '\0';
  const add = (name: string) => {
    const at = strings.length;
    strings += `${name}\0`;
    return at;
  };
  const first = symbols[0] === undefined || !shareNames ? null : add(symbols[0].name);
  const table = symbols.map(({ name, defined }) => {
    const symbol = Buffer.alloc(24);
    symbol.writeUInt32LE(first ?? add(name), 0);
    symbol.writeUInt16LE(defined ? 1 : 0, 6);
    return symbol;
  });
  const entries = Object.entries(dynamic).flatMap(([tag, names]) => names.map((name) => pair(Number(tag), add(name))));
  const names = ['', '.text', '.dynstr', '.dynsym', '.dynamic', '.shstrtab'];
  const contents = [
    Buffer.alloc(0),
    text,
    Buffer.from(strings, 'latin1'),
    Buffer.concat(table),
    Buffer.concat([...entries, pair(0, 0)]),
    Buffer.from(`${names.join('\0')}\0`, 'latin1'),
  ];
  const types = [0, 1, 3, 11, 6, 3];
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(3, 16);
  header.writeBigUInt64LE(BigInt(64 + contents.reduce((sum, one) => sum + one.length, 0)), 40);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(names.length, 60);
  header.writeUInt16LE(names.length - 1, 62);
  let offset = 64;
  const headers = contents.map((bytes, index) => {
    const section = Buffer.alloc(64);
    section.writeUInt32LE(names.slice(0, index).join('\0').length + (index === 0 ? 0 : 1), 0);
    section.writeUInt32LE(types[index] ?? 0, 4);
    section.writeBigUInt64LE(BigInt(offset), 24);
    section.writeBigUInt64LE(BigInt(bytes.length), 32);
    section.writeUInt32LE(2, 40);
    section.writeBigUInt64LE(types[index] === 11 ? 24n : 0n, 56);
    offset += bytes.length;
    return section;
  });
  return Buffer.concat([header, ...contents, ...headers]);
}

function pair(tag: number, value: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt(tag), 0);
  bytes.writeBigUInt64LE(BigInt(value), 8);
  return bytes;
}
