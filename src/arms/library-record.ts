/** `library.json`: what an arm's library consists of, and what it tells of its own build. Nothing of it was executed. */

import { EXTERNAL_LIBRARIES } from './binary/external-libraries.ts';
import type { Inventory } from './binary/inventory.ts';
import type { ArmLibrary, PreparedArm } from './prepared-arm.ts';

/** A file that a run keeps about an arm. */
export interface EvidenceFile {
  /** Within the run's directory. */
  readonly path: string;
  readonly content: Buffer;
}

const MOST_OBJECTS = 20_000;
/** What could steer a terminal or hide from a reader, in names that a stranger gave. */
const HIDDEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The record of an arm's library, and copies of the files that the experiment names as metadata.
 * @param redact puts placeholders for identity into paths
 */
export function libraryFiles(
  { arm, provenance }: Pick<PreparedArm, 'arm' | 'provenance'>,
  library: ArmLibrary,
  inventory: Inventory,
  redact: (text: string) => string,
): readonly EvidenceFile[] {
  const { facts } = library;
  const copies = library.metadata.map(({ named, bytes, sha256 }, at) => {
    const path = `arms/${arm}/metadata/${at + 1}-${harmless(named)}`;
    return { path, content: bytes, entry: { named: redact(named), path, bytes: bytes.length, sha256 } };
  });
  const names = (compression: boolean) =>
    EXTERNAL_LIBRARIES.filter((one) => one.compression === compression && facts.uses.includes(one.name)).map(
      ({ name }) => name,
    );
  const record = {
    format: 'assay-library',
    version: 1,
    arm,
    library: redact(library.shown),
    bytes: facts.bytes,
    sha256: facts.sha256,
    text_sha256: facts.text_sha256,
    linkage: facts.linkage,
    version_in_headers: provenance['library_version'] ?? null,
    version_in_pkg_config: provenance['pkg_config_version'] ?? null,
    build_mark: facts.marked,
    soname: facts.dynamic.soname,
    needed: facts.dynamic.needed.map(redact),
    run_paths: [...facts.dynamic.rpath, ...facts.dynamic.runpath].map(redact),
    symbols_known: facts.symbols_known,
    symbols: inventory.symbols,
    assertions: { asserting_objects: facts.asserting_objects, objects: facts.objects },
    run_time_type_information: facts.rtti,
    compression: names(true),
    other_libraries: names(false),
    left_to_others: facts.lacks,
    compilers: inventory.compilers,
    metadata: copies.map(({ entry }) => entry),
    objects: inventory.objects.slice(0, MOST_OBJECTS),
    objects_left_out: Math.max(0, inventory.objects.length - MOST_OBJECTS),
  };
  return [
    { path: `arms/${arm}/library.json`, content: Buffer.from(jsonText(record)) },
    ...copies.map(({ path, content }) => ({ path, content })),
  ];
}

/** The last part of a path, as a name that means the same on every system. */
function harmless(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/[^A-Za-z0-9._-]/g, '-').slice(-80) || 'file';
}

function jsonText(value: unknown): string {
  const escaped = (text: string) =>
    Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  return `${JSON.stringify(value, null, 2).replace(HIDDEN, escaped)}\n`;
}
