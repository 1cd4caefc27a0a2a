/** One gzip member (RFC 1952) and nothing else: what follows a first member is seen by some programs and not by others. */
import { Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { type Limits, RATIO_FROM_BYTES } from '../limits.ts';
import { refusal } from '../refusal.ts';

/** A file or a text in memory. */
export interface ByteSource {
  readonly bytes: number;
  /** Exactly so many bytes. */
  read(position: number, length: number): Promise<Buffer>;
}

/** No name, no time, the system unknown: the same everywhere. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const TRAILER_BYTES = 8;
const CHUNK_BYTES = 64 * 2 ** 10;

/**
 * The uncompressed bytes of a file that is one gzip member. Throws `bundle` where it is anything else, where its checksum or
 * length is wrong, or where more comes out than the limits allow.
 * @param onRead is told how many of the file's bytes have been read
 */
export async function* inflateMember(
  source: ByteSource,
  limits: Limits,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  if (source.bytes < HEADER.length + TRAILER_BYTES) throw refusal('the file is too short for a bundle');
  const header = await source.read(0, HEADER.length);
  if (header.readUInt16BE(0) !== 0x1f8b || header[2] !== 8) throw refusal('the file is not compressed by gzip');
  if (header[3] !== 0) throw refusal('the gzip header has fields that Assay does not write');
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const compressed = Readable.from(chunksOf(source, HEADER.length, source.bytes - TRAILER_BYTES));
  compressed.on('error', (error) => inflate.destroy(error));
  compressed.pipe(inflate);
  let sum = 0;
  let total = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      total += chunk.length;
      const consumed = inflate.bytesWritten;
      if (total > RATIO_FROM_BYTES && total > limits.ratio * consumed) {
        throw refusal(
          `more than ${limits.ratio} bytes come out of each compressed one`,
          'If you trust its origin, allow more with --max-ratio.',
        );
      }
      onRead(HEADER.length + consumed);
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('Z_')) throw refusal('the compressed data is damaged or cut off');
    throw error;
  } finally {
    compressed.destroy();
    inflate.destroy();
  }
  await checkEnd(source, HEADER.length + inflate.bytesWritten, sum, total);
}

async function checkEnd(source: ByteSource, end: number, sum: number, total: number): Promise<void> {
  if (end > source.bytes - TRAILER_BYTES) throw refusal('the compressed data is cut off');
  const trailer = await source.read(end, TRAILER_BYTES);
  if (trailer.readUInt32LE(0) !== sum || trailer.readUInt32LE(4) !== total % 2 ** 32) {
    throw refusal('the checksum of the compressed data is wrong');
  }
  const rest = source.bytes - end - TRAILER_BYTES;
  if (rest === 0) return;
  const next = await source.read(end + TRAILER_BYTES, Math.min(2, rest));
  throw refusal(
    next.toString('hex') === '1f8b' ? 'a second gzip member follows the first' : 'bytes follow the gzip member',
  );
}

async function* chunksOf(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += CHUNK_BYTES) yield await source.read(at, Math.min(CHUNK_BYTES, end - at));
}

/** Compresses chunks into one gzip member. */
export async function* deflateMember(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sum = 0;
  let total = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum);
      total += chunk.length;
      yield chunk;
    }
  };
  const deflate = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION });
  const plain = Readable.from(counted());
  plain.on('error', (error) => deflate.destroy(error));
  plain.pipe(deflate);
  yield HEADER;
  try {
    for await (const chunk of deflate as AsyncIterable<Buffer>) yield chunk;
  } finally {
    plain.destroy();
    deflate.destroy();
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(total % 2 ** 32, 4);
  yield trailer;
}
