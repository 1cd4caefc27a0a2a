/** Archives as a stranger may make them: any bytes in the place of what Assay writes. */
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/bundle/archive-file.ts';
import { encodeManifest, inOrder, MANIFEST, type Manifest } from '../src/bundle/manifest.ts';
import { sha256 } from './bundle-run.ts';

export interface Entry {
  readonly name: string;
  readonly content: Buffer;
}

/** Files of an archive that is as Assay writes it. */
export function entriesOf(tar: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (start: number, length: number) =>
      tar.toString('utf8', at + start, at + start + length).split('\0')[0] ?? '';
    const prefix = text(345, 155);
    const bytes = Number.parseInt(text(124, 12), 8);
    entries.push({
      name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
      content: Buffer.from(tar.subarray(at + 512, at + 512 + bytes)),
    });
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  return entries;
}

export function manifestOf(entries: readonly Entry[]): Manifest {
  const first = entries.find(({ name }) => name === MANIFEST);
  return JSON.parse(first?.content.toString() ?? '') as Manifest;
}

/** The manifest of what is there now, in front of it: whoever changes a file can change its manifest too. */
export function withManifest(entries: readonly Entry[]): Entry[] {
  const files = entries.filter(({ name }) => !name.startsWith(MANIFEST)).sort((a, b) => inOrder(a.name, b.name));
  const manifest = {
    ...manifestOf(entries),
    files: files.map(({ name, content }) => ({ path: name, bytes: content.length, sha256: sha256(content) })),
  };
  return [{ name: MANIFEST, content: Buffer.from(encodeManifest(manifest)) }, ...files];
}

export async function tarBytes(entries: readonly Entry[], mtime: number): Promise<Buffer> {
  async function* members() {
    yield* entries;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of tarOf(members(), mtime)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A header with anything in its fields, its checksum right; `patch` writes over it before that. */
export function rawHeader(
  name: string,
  size: number,
  mtime: number,
  patch: (block: Buffer) => void = () => {},
): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write('0000644\0' + '0000000\0' + '0000000\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0${mtime.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        0', 148);
  block.write('ustar\0' + '00', 257);
  block.write('0000000\0' + '0000000\0', 329);
  patch(block);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function padded(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

export function compressed(tar: Buffer): Buffer {
  return gzipSync(tar, { level: 1 });
}
