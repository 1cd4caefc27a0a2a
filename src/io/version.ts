import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** package.json lies two folders above this file, built or not. */
function ownPackage(): Package {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Package;
}

export function assayVersion(): string {
  return ownPackage().version;
}

/** Versions of what numbers go through: Node.js, V8, and the libraries, which are pinned. */
export function softwareVersions(): Record<string, string> {
  return { node: process.versions.node, v8: process.versions.v8, ...ownPackage().dependencies };
}
