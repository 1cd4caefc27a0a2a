/** What a reader is told about the origin of a driver and its library, and warned of. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteCommand } from '../../experiment/command-line.ts';
import { EXTERNAL_LIBRARIES } from '../binary/external-libraries.ts';
import type { ExecutableFacts, LibraryFacts } from '../binary/facts.ts';
import type { Compiler } from '../compiler.ts';
import type { BuiltDriver } from './build.ts';
import type { DriverKit, DriverSide } from './kit.ts';

export interface ArmWarning {
  readonly code:
    | 'built-with-assertions'
    | 'assertions-unknown'
    | 'versions-differ'
    | 'different-linkage'
    | 'same-machine-code';
  readonly message: string;
  readonly remedy: string;
}

/** A driver with all that was found out about it. */
export interface DriverParts {
  readonly side: DriverSide;
  readonly built: BuiltDriver;
  readonly executable: ExecutableFacts;
  readonly headers_sha256: string;
  /** From the headers; null where they do not say. */
  readonly version: string | null;
}

const MOST_HEADER_BYTES = 1 << 20;

/** The version that macros of a public header state, as `7.8.3`; null where one is missing. */
export async function headerVersion(headers: string, { header, macros }: DriverKit['version']): Promise<string | null> {
  const text = (await readFile(join(headers, header)).catch(() => Buffer.alloc(0))).toString(
    'latin1',
    0,
    MOST_HEADER_BYTES,
  );
  const defined = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(
    /^[ \t]{0,9}#[ \t]{0,9}define[ \t]{1,9}(\w{1,80})[ \t]{1,40}(\d{1,9})\b/gm,
  )) {
    defined.set(name, value);
  }
  const parts = macros.map((name) => defined.get(name) ?? null);
  return parts.includes(null) ? null : parts.join('.');
}

/**
 * Facts of one side, by name; those that do not apply are left out.
 * @param rtti why the flags have an option about run-time type information; null where none was added
 */
export function driverProvenance(
  { side, built, executable, headers_sha256, version }: DriverParts,
  kit: DriverKit,
  compiler: Compiler,
  standard: string,
  flags: readonly string[],
  rtti: string | null,
): Readonly<Record<string, string>> {
  const { library, facts, headers, link, found, stated_version } = side.library;
  const all: Readonly<Record<string, string | null>> = {
    source: found,
    library,
    library_sha256: facts.sha256,
    library_bytes: String(facts.bytes),
    linkage: facts.linkage === 'static' ? `static, ${facts.objects} objects` : 'shared',
    soname: facts.dynamic.soname,
    library_text_sha256: facts.text_sha256,
    library_version: version,
    pkg_config_version: stated_version,
    library_build: facts.marked,
    assertions: assertionsText(facts, executable),
    rtti: facts.rtti,
    compression: namesOf(facts, true),
    other_libraries: namesOf(facts, false),
    headers,
    headers_sha256,
    driver: kit.name,
    driver_inputs_sha256: built.inputs_sha256,
    compiler: compiler.path,
    compiler_version: compiler.version,
    linker_version: compiler.linker,
    standard,
    flags: flags.join(' '),
    rtti_option: rtti,
    link: link.join(' '),
    link_order: side.reordered,
    compile_command: quoteCommand(built.command),
    executable_sha256: executable.sha256,
    executable_text_sha256: executable.text_sha256,
    executable_loads: executable.dynamic.needed.join(' '),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]])),
  );
}

/** What a reader of this side's numbers must know, seen beside the other sides. */
export function driverWarnings(parts: DriverParts, all: readonly DriverParts[]): readonly ArmWarning[] {
  const { side, executable, version } = parts;
  const { arm, library } = side;
  const { facts } = library;
  const warnings: ArmWarning[] = [];
  if (asserts(facts, executable)) {
    warnings.push({
      code: 'built-with-assertions',
      message: `${arm}: BUILT WITH ASSERTIONS: ${library.library} checks its own state while it is measured, and is not what users run`,
      remedy:
        'Build the library for release (-DNDEBUG; RocksDB: DEBUG_LEVEL=0), then measure. Do not rank or publish these numbers.',
    });
  } else if (!facts.symbols_known) {
    warnings.push({
      code: 'assertions-unknown',
      message: `${arm}: whether ${library.library} was built with assertions cannot be seen: it shows no symbols`,
      remedy: 'Build it without -flto or stripping, or make sure of -DNDEBUG yourself.',
    });
  }
  const other = versionsOf(parts).find(({ text }) => version !== null && !isVersionOf(text, version));
  if (other !== undefined) {
    warnings.push({
      code: 'versions-differ',
      message: `${arm}: the headers are of version ${version ?? ''}, but ${other.of} says ${other.text}`,
      remedy: 'Name headers and library of one build: programs compiled with others’ headers may misread its memory.',
    });
  }
  const others = all.filter((one) => one !== parts);
  if (others.some((one) => one.side.library.facts.linkage !== facts.linkage)) {
    warnings.push({
      code: 'different-linkage',
      message: `${arm} is ${facts.linkage}, another arm is not: calls into a shared library cost more`,
      remedy: 'Name the same kind of library for all arms.',
    });
  }
  // Builds of one arm are meant to be alike.
  const strangers = others.filter((one) => one.side.arm !== arm);
  const twin = strangers.find((one) => one.side.library.facts.sha256 !== facts.sha256 && sameCode(one, parts));
  if (twin !== undefined) {
    warnings.push({
      code: 'same-machine-code',
      message: `${arm} and ${twin.side.arm} execute the same machine code (the same .text), although their libraries are different files`,
      remedy: 'Right for a control. Else one of them was not rebuilt, or the change is not compiled in.',
    });
  }
  return warnings;
}

function asserts(facts: LibraryFacts, executable: ExecutableFacts): boolean {
  return facts.asserting_objects > 0 || (!facts.symbols_known && executable.asserting);
}

function assertionsText(facts: LibraryFacts, executable: ExecutableFacts): string {
  const of = facts.linkage === 'static' ? ` (${facts.asserting_objects} of ${facts.objects} objects)` : '';
  if (asserts(facts, executable)) return facts.asserting_objects > 0 ? `ON${of}` : 'ON';
  return facts.symbols_known ? 'off' : 'unknown';
}

function namesOf(facts: LibraryFacts, compression: boolean): string | null {
  const names = EXTERNAL_LIBRARIES.filter((one) => one.compression === compression && facts.uses.includes(one.name));
  if (names.length === 0) return compression ? (facts.symbols_known ? 'none' : 'unknown') : null;
  return names.map(({ name }) => name).join(', ');
}

function versionsOf({ side: { library } }: DriverParts): readonly { readonly of: string; readonly text: string }[] {
  const { stated_version, facts } = library;
  const suffix = /\.so\.([0-9][0-9.]{0,30})$/.exec(facts.dynamic.soname ?? '')?.[1];
  return [
    ...(stated_version === null ? [] : [{ of: 'pkg-config', text: stated_version }]),
    // A number alone counts changes of the interface in some libraries, not versions.
    ...(suffix?.includes('.') ? [{ of: `the name of the library (${facts.dynamic.soname ?? ''})`, text: suffix }] : []),
  ];
}

/** Whether one is the other or its beginning: `7.8` of `7.8.3`. */
function isVersionOf(text: string, version: string): boolean {
  return text === version || version.startsWith(`${text}.`) || text.startsWith(`${version}.`);
}

function sameCode(one: DriverParts, other: DriverParts): boolean {
  const codes = ({ side, executable }: DriverParts) => [executable.text_sha256, side.library.facts.text_sha256];
  const [a, b] = [codes(one), codes(other)];
  return (
    a[0] !== null &&
    a[0] === b[0] &&
    a[1] === b[1] &&
    one.side.library.facts.linkage === other.side.library.facts.linkage
  );
}
