/** What a reader of another tool's output found, in the shape in which tests compare it. */
import { readFileSync } from 'node:fs';
import type { Reading, ToolResult } from '../src/formats/reading.ts';

export function resultsOf(reading: Reading): readonly ToolResult[] {
  if (!reading.ok) throw new Error(reading.reason);
  return reading.results;
}

/** The first result of that name. */
export function resultNamed(reading: Reading, name: string): ToolResult {
  const results = resultsOf(reading);
  const found = results.find((result) => result.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${results.map((result) => result.name).join(', ')}`);
  return found;
}

/** By name: metrics as numbers, what is absent as the reason. */
export function foundIn({ metrics, absent }: ToolResult): Readonly<Record<string, number | string>> {
  return Object.fromEntries([
    ...metrics.map(({ name, value }) => [name, value] as const),
    ...absent.map(({ name, reason }) => [name, reason] as const),
  ]);
}

export function warningCodes(reading: Reading): readonly string[] {
  return reading.ok ? reading.warnings.map(({ code }) => code) : [];
}

/** What a tool wrote; how, the README beside it says. */
export function sampleOf(tool: string, name: string): string {
  return readFileSync(new URL(`fixtures/tool-output/${tool}/${name}`, import.meta.url), 'utf8');
}

/** Names and failures of all results. */
export function outcomesOf(reading: Reading): readonly (readonly [name: string, failure: string | null])[] {
  return resultsOf(reading).map(({ name, failure }) => [name, failure]);
}
