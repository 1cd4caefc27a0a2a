/**
 * One record, one line: `{"crc32":"89abcdef","record":{…}}`. The checksum covers the bytes of the record as they stand in
 * the line, so that it can be checked without parsing first. It finds damage, not intent: against that stands the bundle.
 */
import { crc32 } from 'node:zlib';
import type { JournalRecord } from './records.ts';

const HEAD = '{"crc32":"';
const MIDDLE = '","record":';
const PREFIX = HEAD.length + 8 + MIDDLE.length;

/** The line of a record, with its newline. */
export function encodeRecord(record: JournalRecord): string {
  const body = JSON.stringify(record);
  return `${HEAD}${checksum(body)}${MIDDLE}${body}}\n`;
}

/**
 * What a line without its newline holds, or null where the line is torn or damaged. That it matches its checksum says
 * nothing of its shape.
 */
export function decodeRecord(line: string): unknown {
  const body = line.slice(PREFIX, -1);
  if (!line.endsWith('}') || `${HEAD}${checksum(body)}${MIDDLE}` !== line.slice(0, PREFIX)) return null;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
