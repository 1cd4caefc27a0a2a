/** Arms that are libraries: where their headers lie, which file is the library, and what else they are linked with. */

import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { splitCommand } from '../../experiment/command-line.ts';
import type { LibrarySource } from '../../experiment/experiment.ts';
import { AssayError } from '../../failures.ts';
import { findExecutable } from '../../io/executable.ts';
import { EXTERNAL_LIBRARIES } from '../binary/external-libraries.ts';
import { type LibraryFacts, type LibraryMarks, libraryFacts } from '../binary/facts.ts';
import { runTool, stopped, type ToolContext } from '../compiler.ts';
import { lastLines } from '../last-lines.ts';

/** What a driver expects of the library that it drives. */
export interface LibraryKind extends LibraryMarks {
  /** As the linker knows it: `rocksdb` of `librocksdb.so`. */
  readonly libraryName: string;
  /** The directory of its public headers within an include directory: `rocksdb` of `#include <rocksdb/db.h>`. */
  readonly headerFolder: string;
}

export interface LocatedLibrary {
  readonly include: readonly string[];
  /** The directory of the public headers, `include` and `headerFolder` joined. */
  readonly headers: string;
  /** -D and -U that the library's users are told to compile with. */
  readonly defines: readonly string[];
  /** Absolute, links resolved. */
  readonly library: string;
  readonly facts: LibraryFacts;
  readonly link: readonly string[];
  /** What pkg-config says; null elsewhere. */
  readonly stated_version: string | null;
  /** How it was found, in words. */
  readonly found: string;
}

interface Found {
  readonly include: readonly string[];
  readonly defines: readonly string[];
  readonly library: string;
  readonly link: readonly string[] | null;
  readonly stated_version: string | null;
  readonly found: string;
}

const LIBRARY_FOLDERS = ['lib', 'lib64'];
const PKG_CONFIG_ENV = ['PKG_CONFIG_PATH', 'PKG_CONFIG_LIBDIR', 'PKG_CONFIG_SYSROOT_DIR'];

/**
 * Finds a library and its headers. Where a directory has both kinds, the shared one is taken, as the linker does: it
 * names the libraries that it needs itself.
 * @param arm the name for failures
 * @param compiler path of the compiler whose linker searches for `-lNAME`
 * @throws AssayError `arm` where headers or library are missing, or are none that can be used
 */
export async function locateLibrary(
  arm: string,
  source: LibrarySource,
  kind: LibraryKind,
  directory: string,
  compiler: string,
  context: ToolContext,
): Promise<LocatedLibrary> {
  const found = await find(arm, source, kind, directory, compiler, context);
  const { library, headers } = await located(arm, found, kind, false);
  const facts = await libraryFacts(library, kind);
  if (typeof facts === 'string') {
    throw failure(
      arm,
      `${library} ${facts}`,
      'Name a static library made by `ar rcs`, or a shared one, for this machine.',
    );
  }
  const lacking = EXTERNAL_LIBRARIES.filter(({ name }) => facts.lacks.includes(name)).map(({ link }) => link);
  const { include, defines, stated_version } = found;
  return {
    include,
    headers,
    defines,
    library,
    facts,
    link: found.link ?? lacking,
    stated_version,
    found: found.found,
  };
}

/**
 * Makes sure that library and headers which are named by their paths are there.
 * @param isBuilt whether the directory is a source that has been built
 * @throws AssayError `arm` where they are not
 */
export async function checkArtifacts(
  arm: string,
  { include, library }: Extract<LibrarySource, { kind: 'artifacts' }>,
  kind: LibraryKind,
  directory: string,
  isBuilt: boolean,
): Promise<void> {
  const paths = { include: include.map((path) => resolve(directory, path)), library: resolve(directory, library) };
  await located(arm, paths, kind, isBuilt);
}

/** The library with its links resolved, and the directory of its public headers. */
async function located(
  arm: string,
  { include, library: path }: Pick<Found, 'include' | 'library'>,
  kind: LibraryKind,
  isBuilt: boolean,
): Promise<{ readonly library: string; readonly headers: string }> {
  const kept = isBuilt ? ' The build is done and kept, and will not be repeated.' : '';
  const library = await realpath(path).catch(() => null);
  if (library === null) {
    const mend = isBuilt ? 'Check the path.' : 'Check the path; a library of a build is there only after it.';
    throw failure(arm, `there is no library ${path}`, `${mend} ${await librariesBeside(path)}${kept}`);
  }
  const headers = await headersIn(include, kind.headerFolder);
  if (headers === null) {
    const reasons: string[] = [];
    for (const one of include) {
      const isThere = (await stat(one).catch(() => null))?.isDirectory() === true;
      reasons.push(`${one} ${isThere ? `has no ${kind.headerFolder}/` : 'does not exist'}`);
    }
    throw failure(
      arm,
      `no include directory holds ${kind.headerFolder}/: ${reasons.join(', ')}`,
      `Name the directory that holds ${kind.headerFolder}/, not that one itself.${kept}`,
    );
  }
  return { library, headers };
}

const MOST_LISTED = 5;

/** The libraries in the directory of a path, in a sentence. */
async function librariesBeside(path: string): Promise<string> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => null);
  if (names === null) return `There is no directory ${folder}.`;
  const libraries = names.filter((name) => /\.a$|\.so(?:\.|$)/.test(name)).sort();
  if (libraries.length === 0) return `There is no library in ${folder}.`;
  const more = libraries.length - MOST_LISTED;
  return `In ${folder}: ${libraries.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

async function find(
  arm: string,
  source: LibrarySource,
  kind: LibraryKind,
  directory: string,
  compiler: string,
  context: ToolContext,
): Promise<Found> {
  switch (source.kind) {
    case 'artifacts':
      return {
        include: source.include.map((path) => resolve(directory, path)),
        defines: [],
        library: resolve(directory, source.library),
        link: source.link,
        stated_version: null,
        found: `artifacts: ${source.library}`,
      };
    case 'prefix': {
      const prefix = resolve(directory, source.prefix);
      const asked = await runTool(compiler, ['-print-multiarch'], { ...context, cwd: directory });
      const multiarch = asked.kind === 'done' && /^[\w-]{1,60}$/.test(asked.stdout.trim()) ? asked.stdout.trim() : null;
      const names = [...LIBRARY_FOLDERS, ...(multiarch === null ? [] : [join('lib', multiarch)])];
      const folders = names.map((name) => join(prefix, name));
      const library = await firstIn(folders, kind.libraryName);
      if (library === null) {
        throw failure(
          arm,
          `there is no lib${kind.libraryName}.so or .a in ${folders.join(' or ')}`,
          'Install the library under this prefix, or name its parts: artifacts: {include: […], library: …}.',
        );
      }
      return {
        include: [join(prefix, 'include')],
        defines: [],
        library,
        link: null,
        stated_version: null,
        found: `prefix: ${source.prefix}`,
      };
    }
    case 'pkg-config':
      return fromPkgConfig(arm, source.name, kind, directory, compiler, context);
  }
}

async function fromPkgConfig(
  arm: string,
  name: string,
  kind: LibraryKind,
  directory: string,
  compiler: string,
  context: ToolContext,
): Promise<Found> {
  const program = await findExecutable('pkg-config', context.env['PATH']);
  if (program === null) {
    throw failure(
      arm,
      'there is no pkg-config on PATH',
      'Install it (Debian, Ubuntu: apt install pkg-config), or use artifacts or prefix.',
    );
  }
  // Also the directories that a compiler searches anyway: whose headers and library these are must be known.
  const env = { ...context.env, PKG_CONFIG_ALLOW_SYSTEM_CFLAGS: '1', PKG_CONFIG_ALLOW_SYSTEM_LIBS: '1' };
  const passEnv = [...PKG_CONFIG_ENV, 'PKG_CONFIG_ALLOW_SYSTEM_CFLAGS', 'PKG_CONFIG_ALLOW_SYSTEM_LIBS'];
  const ask = async (option: string): Promise<string> => {
    const outcome = await runTool(program, [option, '--', name], { ...context, env, passEnv, cwd: directory });
    if (outcome.kind === 'done') return outcome.stdout.trim();
    if (outcome.kind === 'cancelled') throw stopped(arm);
    throw failure(
      arm,
      `pkg-config does not know ${name}`,
      'Install its development files, or name the directory of its .pc file in PKG_CONFIG_PATH.',
      outcome.output,
    );
  };
  const words = async (option: string): Promise<readonly string[]> => {
    // A word before them, because there may be none, and the first is no program.
    const split = splitCommand(`pkg-config ${await ask(option)}`);
    if (!split.ok)
      throw failure(arm, `what pkg-config ${option} ${name} prints ${split.message}`, 'Mend its .pc file.');
    return split.argv.slice(1);
  };
  const version = lastLines(await ask('--modversion'));
  const cflags = await words('--cflags');
  const libs = await words('--libs');
  const folders = libs.filter((word) => word.startsWith('-L')).map((word) => resolve(directory, word.slice(2)));
  const linked = libs.includes(`-l${kind.libraryName}`);
  const library = linked
    ? ((await firstIn(folders, kind.libraryName)) ??
      (await searchedByLinker(kind.libraryName, compiler, directory, context)))
    : (libs.find((word) => basename(word).startsWith(`lib${kind.libraryName}.`)) ?? null);
  if (library === null) {
    throw failure(
      arm,
      `pkg-config ${name} leads to no library ${kind.libraryName}: ${libs.join(' ')}`,
      'Install its development files, or name library and headers: artifacts: {include: […], library: …}.',
    );
  }
  const others = libs.filter((word) => word !== `-l${kind.libraryName}` && word !== library);
  const isStatic = library.endsWith('.a');
  return {
    include: cflags.filter((word) => word.startsWith('-I')).map((word) => resolve(directory, word.slice(2))),
    // Anything else could make the sides differ in how they are compiled.
    defines: cflags.filter((word) => /^-[DU]./.test(word)),
    library,
    link: isStatic && !others.some((word) => word.startsWith('-l')) ? null : others,
    stated_version: version,
    found: `pkg-config: ${name}`,
  };
}

/** As a linker looks for `-lNAME`: in each directory the shared library first. */
async function firstIn(folders: readonly string[], name: string): Promise<string | null> {
  for (const folder of folders) {
    for (const ending of ['so', 'a']) {
      const path = join(folder, `lib${name}.${ending}`);
      if (await isFile(path)) return path;
    }
  }
  return null;
}

async function searchedByLinker(
  name: string,
  compiler: string,
  directory: string,
  context: ToolContext,
): Promise<string | null> {
  for (const ending of ['so', 'a']) {
    const asked = await runTool(compiler, [`-print-file-name=lib${name}.${ending}`], { ...context, cwd: directory });
    const path = asked.kind === 'done' ? asked.stdout.trim() : '';
    // A compiler that finds none prints the bare name.
    if (path.includes('/') && (await isFile(path))) return path;
  }
  return null;
}

async function headersIn(include: readonly string[], folder: string): Promise<string | null> {
  for (const directory of include) {
    const path = join(directory, folder);
    if ((await stat(path).catch(() => null))?.isDirectory()) return path;
  }
  return null;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

function failure(arm: string, message: string, remedy: string, detail = ''): AssayError {
  return new AssayError({ kind: 'arm', arm, message, detail, remedy });
}
