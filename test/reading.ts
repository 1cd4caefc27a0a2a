/** What tests ask of readings of other tools' output. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reading, ToolResult } from '../src/formats/reading.ts';

/** A sample under test/fixtures/tool-output. */
export function toolOutput(path: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures/tool-output', path), 'utf8');
}

export function soundReading(reading: Reading): Extract<Reading, { ok: true }> {
  if (!reading.ok) throw new Error(reading.reason);
  return reading;
}

/** Values by their names. */
export function valuesOf({ metrics }: ToolResult): Record<string, number> {
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

export function reasonsOf({ absent }: ToolResult): Record<string, string> {
  return Object.fromEntries(absent.map(({ name, reason }) => [name, reason]));
}

/** Of the warning with this code. */
export function messageOf(reading: Reading, code: string): string | undefined {
  return soundReading(reading).warnings.find((warning) => warning.code === code)?.message;
}
