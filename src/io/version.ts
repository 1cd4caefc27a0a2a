import { readFileSync } from 'node:fs';

/** The version in package.json, which lies two folders above this file, built or not. */
export function assayVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
