/**
 * One record, one line: `{"crc32":"89abcdef","record":{…}}`. The checksum covers the bytes of the record as they stand in
 * the line, so that it can be checked without parsing first. It finds damage, not intent: against that stands the bundle.
 */
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { JournalRecord } from './records.ts';

const HEAD = Buffer.from('{"crc32":"');
const MIDDLE = Buffer.from('","record":');
const DIGITS = 8;
const PREFIX = HEAD.length + DIGITS + MIDDLE.length;
const CLOSING_BRACE = 0x7d;

/** The line of a record, with its newline. */
export function encodeRecord(record: JournalRecord): string {
  const body = JSON.stringify(record);
  return `${HEAD}${crc32(body).toString(16).padStart(DIGITS, '0')}${MIDDLE}${body}}\n`;
}

/**
 * The JSON of the record in a line without its newline, or null where the line is torn or damaged. That it matches its
 * checksum says nothing of its shape.
 */
export function bodyOf(line: Buffer): Buffer | null {
  const last = line.length - 1;
  if (last < PREFIX || line[last] !== CLOSING_BRACE) return null;
  if (!holds(line, HEAD, 0) || !holds(line, MIDDLE, HEAD.length + DIGITS)) return null;
  const body = line.subarray(PREFIX, last);
  return crc32(body) === checksumIn(line) ? body : null;
}

/** What a line without its newline holds, or null where the line is torn or damaged. */
export function decodeRecord(line: Buffer): unknown {
  const body = bodyOf(line);
  return body === null ? null : parseBody(body);
}

/** Null where it is no JSON. */
export function parseBody(body: Buffer): unknown {
  if (!isUtf8(body)) return null;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

function holds(line: Buffer, text: Buffer, from: number): boolean {
  for (let at = 0; at < text.length; at++) if (line[from + at] !== text[at]) return false;
  return true;
}

/** −1 where there is none as it is written. */
function checksumIn(line: Buffer): number {
  let value = 0;
  for (let at = HEAD.length; at < HEAD.length + DIGITS; at++) {
    const byte = line[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + (byte - 0x30);
    else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + (byte - 0x57);
    else return -1;
  }
  return value;
}
