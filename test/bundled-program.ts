/**
 * Makes few files of the built program's thousand modules, once for each build, and keeps what V8 compiles of them: the quick tests
 * start it hundreds of times, and loading its modules was more than half of what a start costs. The full tests start what users start, `bin/assay.js`.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(ROOT, 'dist');
const KEPT_CODE = join(ROOT, 'test', 'fixtures', 'kept-code.cjs');
const SHIPPED = join(ROOT, 'bin', 'assay.js');
const CACHE = join(ROOT, 'node_modules', '.cache', 'assay-program');
const CACHE_OF_TESTS = join(tmpdir(), `assay-test-cache-${process.getuid?.() ?? 0}`);
/** Another run of tests may still use an older one for so long. */
const KEPT_MS = 3_600_000;

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file that Node.js runs as `assay`. */
    program: string;
    /** What the tests give Assay as its cache: one for all tests of a checkout, so that the launcher is compiled once. */
    cache: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const isFull = process.env['ASSAY_TEST_FULL'] === '1';
  const isBuilt = existsSync(join(BUILT, 'cli', 'main.js'));
  project.provide('cache', CACHE_OF_TESTS);
  project.provide('program', isFull || !isBuilt ? SHIPPED : await bundled());
}

async function bundled(): Promise<string> {
  const directory = join(CACHE, stampOf(BUILT));
  const program = join(directory, 'main.mjs');
  if (existsSync(program)) return program;
  removeOld();
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(`${CACHE}/making-`);
  // The entry is a module as it is where users start it, and takes all else from KEPT_CODE, which takes it from the bundle.
  await write(join(BUILT, 'cli', 'main.js'), made, 'esm', {
    name: 'from-kept-code',
    resolveId: (id) => (id === './program.js' ? { id: './program.cjs', external: true } : null),
  });
  await write(join(BUILT, 'cli', 'program.js'), join(made, 'bundled'), 'cjs', null);
  copyFileSync(KEPT_CODE, join(made, 'program.cjs'));
  keepCode(join(made, 'main.mjs'));
  try {
    renameSync(made, directory);
  } catch (error) {
    // Another was quicker, and its files are the same.
    if (!existsSync(program)) throw error;
    rmSync(made, { recursive: true });
  }
  return program;
}

async function write(input: string, dir: string, format: 'esm' | 'cjs', plugin: Plugin | null): Promise<void> {
  const extension = format === 'esm' ? 'mjs' : 'cjs';
  const url = format === 'esm' ? 'import.meta.url' : "require('node:url').pathToFileURL(__filename)";
  const bundle = await rolldown({
    input,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      plugin,
      {
        name: 'places-stay',
        // What lies beside a module, or is started from there, is still found there.
        transform: (code, id) => {
          if (!id.startsWith(BUILT) || !code.includes('import.meta.url')) return null;
          const place = JSON.stringify(relative(dir, id));
          return code.replaceAll('import.meta.url', `new URL(${place}, ${url}).href`);
        },
      },
    ],
  });
  await bundle.write({
    dir,
    format,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
    // Code that is kept cannot import.
    dynamicImportInCjs: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
}

/** Starts the program for what most tests do with it. Whether it works is for the tests to say. */
function keepCode(program: string): void {
  const cwd = mkdtempSync(join(tmpdir(), 'assay-kept-code-'));
  const env = { PATH: process.env['PATH'], HOME: cwd, ASSAY_CACHE: CACHE_OF_TESTS, ASSAY_TEST_KEEP_CODE: '1' };
  for (const args of ['compare true true --pairs 2 --out run', 'bundle run']) {
    spawnSync(process.execPath, [program, ...args.split(' ')], { cwd, env, stdio: 'ignore' });
  }
  rmSync(cwd, { recursive: true });
}

/** Of what the built files say, of what they depend on, and of how they are put together. */
function stampOf(built: string): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of [join(ROOT, 'package-lock.json'), KEPT_CODE, fileURLToPath(import.meta.url)])
    hash.update(readFileSync(path));
  const modules = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  for (const name of modules.sort()) hash.update(`${name}\0`).update(readFileSync(join(built, name)));
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  for (const name of existsSync(CACHE) ? readdirSync(CACHE) : []) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
