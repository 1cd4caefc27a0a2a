/**
 * Makes few files of the built program's thousand modules, once for each build: the quick tests start it hundreds of times, and loading
 * its modules was half of what a start costs. The full tests start what users start, `bin/assay.js`.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(ROOT, 'dist');
const SHIPPED = join(ROOT, 'bin', 'assay.js');
const CACHE = join(ROOT, 'node_modules', '.cache', 'assay-program');
/** Another run of tests may still use an older one for so long. */
const KEPT_MS = 3_600_000;

declare module 'vitest' {
  export interface ProvidedContext {
    /** The file that Node.js runs as `assay`. */
    program: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const isFull = process.env['ASSAY_TEST_FULL'] === '1';
  const isBuilt = existsSync(join(BUILT, 'cli', 'main.js'));
  project.provide('program', isFull || !isBuilt ? SHIPPED : await bundled());
}

async function bundled(): Promise<string> {
  const directory = join(CACHE, stampOf(BUILT));
  const program = join(directory, 'main.mjs');
  if (existsSync(program)) return program;
  removeOld();
  const bundle = await rolldown({
    input: join(BUILT, 'cli', 'main.js'),
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'places-stay',
        // What lies beside a module, or is started from there, is still found there.
        transform: (code, id) => {
          if (!id.startsWith(BUILT) || !code.includes('import.meta.url')) return null;
          const place = JSON.stringify(relative(directory, id));
          return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
        },
      },
    ],
  });
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(`${CACHE}/making-`);
  await bundle.write({
    dir: made,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  try {
    renameSync(made, directory);
  } catch (error) {
    // Another was quicker, and its files are the same.
    if (!existsSync(program)) throw error;
    rmSync(made, { recursive: true });
  }
  return program;
}

/** Of what the built files say, of what they depend on, and of how they are put together. */
function stampOf(built: string): string {
  const hash = createHash('sha256');
  for (const path of [join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) hash.update(readFileSync(path));
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
