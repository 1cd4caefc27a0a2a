/** Reads an archive from chunks, each byte once: strictly, so that two programs cannot read two things from it. */
import { refusal } from '../refusal.ts';
import { BLOCK_BYTES, decodeHeader, type Header } from './tar-header.ts';

/** Whoever takes the files of a bundle, one after the other; each call may throw `bundle` to refuse the whole. */
export interface FileTaker {
  begin(header: Header): void;
  /** Part of the content; the bytes are those of a buffer that is used again. */
  data(bytes: Buffer): void;
  end(): void;
}

export interface TarReader {
  push(chunk: Buffer): void;
  /** Throws where the archive is not at its end. */
  finish(): void;
}

export function tarReader(taker: FileTaker): TarReader {
  const block = Buffer.alloc(BLOCK_BYTES);
  let filled = 0;
  let mode: 'header' | 'content' | 'padding' | 'end' | 'done' = 'header';
  /** Of content or padding. */
  let left = 0;
  let padding = 0;

  function takeBlock(): void {
    const zero = block.every((byte) => byte === 0);
    if (mode === 'end') {
      if (!zero) throw refusal('one block of zeros stands where two should end the archive');
      mode = 'done';
    } else if (zero) {
      mode = 'end';
    } else {
      const header = decodeHeader(block);
      taker.begin(header);
      left = header.bytes;
      padding = (BLOCK_BYTES - (header.bytes % BLOCK_BYTES)) % BLOCK_BYTES;
      mode = 'content';
      endContent();
    }
  }

  function endContent(): void {
    if (left > 0) return;
    taker.end();
    left = padding;
    mode = padding === 0 ? 'header' : 'padding';
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (mode === 'done') throw refusal('bytes follow the end of the archive');
        if (mode === 'header' || mode === 'end') {
          const size = Math.min(BLOCK_BYTES - filled, chunk.length - at);
          chunk.copy(block, filled, at, at + size);
          filled += size;
          at += size;
          if (filled < BLOCK_BYTES) continue;
          filled = 0;
          takeBlock();
          continue;
        }
        const part = chunk.subarray(at, at + left);
        at += part.length;
        left -= part.length;
        if (mode === 'content') {
          taker.data(part);
          endContent();
        } else {
          if (part.some((byte) => byte !== 0)) throw refusal('the padding after a file is not zero');
          if (left === 0) mode = 'header';
        }
      }
    },
    finish() {
      if (mode !== 'done') throw refusal('the archive ends before its end');
    },
  };
}
