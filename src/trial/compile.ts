/** Makes an executable of a C source of Assay's on first use, and finds it again later. */
import { execFile } from 'node:child_process';
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isExecutable } from '../io/executable.ts';

/** Why something that only makes Assay more exact cannot be had, and how to mend it. */
export interface Unavailable {
  readonly unavailable: string;
  readonly remedy: string;
}

export interface CompileOptions {
  /** Path of the C file that is compiled; it may include the headers beside it. */
  readonly source: string;
  /** Directory for executables, made with mode 0700 where it is missing. */
  readonly cache: string;
  /** Where compilers are looked for, as in $PATH. */
  readonly searchPath: string;
}

const COMPILERS = ['cc', 'gcc', 'clang'];
const FLAGS = ['-std=c11', '-O2', '-Wall', '-Wextra'];
const INSTALL = 'Install a C compiler with the C library’s headers (Debian, Ubuntu: apt install gcc libc6-dev).';
const ELSEWHERE = 'Set ASSAY_CACHE to a directory that can be written and has room.';
const SHOWN_LINES = 5;

/** The absolute path of the first C compiler of the search path, or null. */
export async function findCompiler(searchPath: string): Promise<string | null> {
  const directories = searchPath.split(':').filter((directory) => isAbsolute(directory));
  for (const name of COMPILERS) {
    for (const directory of directories) {
      const path = join(directory, name);
      if (await isExecutable(path)) return path;
    }
  }
  return null;
}

/** Runs a compiler without a shell. Only its last lines are kept, without control characters. */
async function run(
  compiler: string,
  args: readonly string[],
  searchPath: string,
): Promise<{ ok: boolean; output: string }> {
  return await new Promise((resolve) => {
    const env = { PATH: searchPath, LC_ALL: 'C', TMPDIR: process.env['TMPDIR'] ?? '/tmp' };
    const options = { env, timeout: 120_000, maxBuffer: 1 << 20 };
    execFile(compiler, args, options, (error, stdout, stderr) => {
      const text = `${stdout}\n${stderr}`.trim() || (error?.message ?? '');
      const lines = text.split('\n').map((line) => line.replaceAll(/\p{Cc}/gu, ' ').slice(0, 300));
      resolve({ ok: error === null, output: lines.slice(-SHOWN_LINES).join(' / ') });
    });
  });
}

/** True for a file that is ours alone to write; one that somebody else could have put there is never run. */
async function isTrusted(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return found.isFile() && found.size > 0 && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** A digest of all that a compiler may read of ours: the C files and headers of the source's directory. */
async function hashSources(source: string): Promise<Hash> {
  const directory = dirname(source);
  const hash = createHash('sha256');
  for (const name of (await readdir(directory)).filter((each) => /\.[ch]$/.test(each)).sort()) {
    const content = await readFile(join(directory, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash;
}

/**
 * The executable made from `source`. It is compiled when the cache has none for these sources, this compiler's version
 * and this architecture: to a temporary file that is synced and renamed, so that several Assays may do so at once.
 */
export async function compileLauncher(options: CompileOptions): Promise<{ executable: string } | Unavailable> {
  const { source, cache, searchPath } = options;
  const compiler = await findCompiler(searchPath);
  if (compiler === null) return { unavailable: 'no C compiler (cc, gcc or clang) is in the PATH', remedy: INSTALL };
  const version = await run(compiler, ['--version'], searchPath);
  if (!version.ok) return { unavailable: `${compiler} does not run: ${version.output}`, remedy: INSTALL };
  let temporary: string | null = null;
  try {
    const hash = await hashSources(source);
    hash.update(['', compiler, version.output, process.arch, ...FLAGS].join('\0'));
    const executable = join(cache, `${basename(source, '.c')}-${hash.digest('hex').slice(0, 32)}`);
    if (await isTrusted(executable)) return { executable };
    await mkdir(cache, { recursive: true, mode: 0o700 });
    temporary = `${executable}.${randomBytes(6).toString('hex')}.tmp`;
    const compiled = await run(compiler, [...FLAGS, '-o', temporary, source], searchPath);
    if (!compiled.ok) {
      const remedy = compiled.output.includes('No space left on device') ? ELSEWHERE : INSTALL;
      return { unavailable: `${compiler} cannot compile ${basename(source)}: ${compiled.output}`, remedy };
    }
    const file = await open(temporary, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      await file.chmod(0o700);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, executable);
    temporary = null;
    return { executable };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      unavailable: `the launcher cannot be put into the cache: ${message}`,
      remedy: ELSEWHERE,
    };
  } finally {
    if (temporary !== null) await rm(temporary, { force: true });
  }
}
