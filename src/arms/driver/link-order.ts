/**
 * Another order for the linker: the driver's own source files, and the members of a static library. Code lies elsewhere in
 * the program then, and does the same; how much that moves a result is what several builds show (Mytkowicz et al. 2009,
 * Curtsinger and Berger 2013).
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../formats/json.ts';
import { makeEntry, markUsed, removeEntry } from '../../io/cache.ts';
import { digestFile } from '../../io/digest.ts';
import { findExecutable } from '../../io/executable.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { type Draw, seededDraw, shuffled } from '../../plan/order.ts';
import { armFailure } from '../arm-failure.ts';
import { openArchive } from '../binary/archive.ts';
import type { ByteSource } from '../binary/elf.ts';
import { libraryFacts, withFile } from '../binary/facts.ts';
import { runTool, stopped } from '../compiler.ts';
import type { BuildContext } from './build.ts';
import type { DriverKit, LinkOrder } from './kit.ts';
import type { LocatedLibrary } from './library.ts';

export interface OrderedLink {
  /** Relative to the kit's directory. */
  readonly sources: readonly string[];
  readonly library: LocatedLibrary;
  /** For readers; null where the order is as it is. */
  readonly text: string | null;
}

/** Below those of `environmentPadding`, above those of a plan. */
const FIRST_STREAM = 500;
const CHUNK_BYTES = 1 << 20;
const ENTRY_FILE = 'entry.json';
const entrySchema = z.object({ format: z.literal(1), library_sha256: z.string() });

/**
 * What is linked, in the order that seed and build draw: the same for every arm as far as their libraries have as many
 * members.
 * @throws AssayError `arm` where there is no `ar`, or it fails
 */
export async function orderedLink(
  arm: string,
  library: LocatedLibrary,
  kit: DriverKit,
  order: LinkOrder | null,
  context: BuildContext,
): Promise<OrderedLink> {
  if (order === null) return { sources: kit.sources, library, text: null };
  const stream = FIRST_STREAM + 2 * order.build;
  const sources = shuffled(kit.sources, seededDraw(order.seed, stream));
  const own = kit.sources.length > 1 ? [`the ${kit.sources.length} source files of the driver`] : [];
  if (library.facts.linkage === 'shared') {
    const drawn = own.map((what) => `${what} in an order drawn from seed ${order.seed}, `).join('');
    return { sources, library, text: `${drawn}the shared library as it is` };
  }
  const copy = await shuffledLibrary(arm, library, kit, order, stream + 1, context);
  const what = [...own, `the members of ${library.library} (SHA-256 ${library.facts.sha256})`].join(' and ');
  return { sources, library: copy, text: `${what} in an order drawn from seed ${order.seed}` };
}

/** A copy of a static library in the cache, its members in another order. */
async function shuffledLibrary(
  arm: string,
  library: LocatedLibrary,
  kit: DriverKit,
  { seed, build }: LinkOrder,
  stream: number,
  context: BuildContext,
): Promise<LocatedLibrary> {
  const ar = await findExecutable('ar', context.env['PATH']);
  if (ar === null) {
    throw armFailure(
      arm,
      'a static library is put into another order by `ar`, and there is none on PATH',
      'Install binutils (Debian, Ubuntu: apt install binutils), or leave `builds` out of the experiment.',
    );
  }
  const key = JSON.stringify([library.facts.sha256, seed, build]);
  const name = `shuffled-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
  const path = join(context.cache, 'driver', name);
  const file = `lib${kit.libraryName}.a`;
  if (await isWhole(path, file)) await markUsed(path);
  else {
    await removeEntry(context.cache, path);
    context.onProgress(`putting the members of ${library.library} into another order`);
    await makeEntry(context.cache, 'driver', name, async (directory) => {
      await writeShuffled(arm, library.library, join(directory, file), seededDraw(seed, stream), ar, context);
      const made = await digestFile(join(directory, file));
      const entry = { format: 1, library_sha256: made?.sha256 ?? '' };
      await writeFile(join(directory, ENTRY_FILE), JSON.stringify(entry)).catch((error: unknown) => {
        throw fileFailure(error, directory, 'write to the cache');
      });
    });
  }
  const facts = await libraryFacts(join(path, file), kit);
  if (typeof facts === 'string' || facts.objects !== library.facts.objects) {
    throw armFailure(
      arm,
      `the copy of ${library.library} in another order ${typeof facts === 'string' ? facts : 'lacks objects'}`,
      'The library has changed meanwhile, or this `ar` cannot hold its members: run again, or leave `builds` out.',
    );
  }
  return { ...library, library: join(path, file), facts };
}

async function isWhole(path: string, file: string): Promise<boolean> {
  const text = await readFile(join(path, ENTRY_FILE), 'utf8').catch(() => null);
  if (text === null) return false;
  const entry = entrySchema.safeParse(parseJson(text));
  return entry.success && (await digestFile(join(path, file)).catch(() => null))?.sha256 === entry.data.library_sha256;
}

/**
 * Members get names of their own, by their place: two that share a name would replace each other, and a name may be
 * anything. Nothing of them reaches the program.
 */
async function writeShuffled(
  arm: string,
  from: string,
  to: string,
  draw: Draw,
  ar: string,
  context: BuildContext,
): Promise<void> {
  const folder = `${to}.members`;
  const names = withFile(from, (source) => {
    makeFolder(folder);
    const archive = openArchive(source);
    if (archive?.kind !== 'whole') return null;
    return archive.members.map((member, at) => {
      const name = `${String(at + 1).padStart(7, '0')}.o`;
      extract(member, join(folder, name));
      return name;
    });
  });
  if (names === null)
    throw armFailure(arm, `${from} is no whole archive any more`, 'Let its build end, then run again.');
  await writeFile(join(folder, 'order'), shuffled(names, draw).join('\n')).catch((error: unknown) => {
    throw fileFailure(error, folder, 'write to the cache');
  });
  // Appended one after the other, with an index of symbols, without dates and owners.
  const outcome = await runTool(ar, ['qcsD', join('..', basename(to)), '@order'], { ...context, cwd: folder });
  if (outcome.kind === 'cancelled') throw stopped(arm);
  if (outcome.kind === 'failed') {
    throw armFailure(
      arm,
      `ar cannot put the members of ${from} into another order`,
      'Use `ar` of binutils or of LLVM.',
      outcome.output,
    );
  }
  await rm(folder, { recursive: true, force: true });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    throw fileFailure(error, path, 'write to the cache');
  }
}

function extract(member: ByteSource, path: string): void {
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      for (let at = 0; at < member.size; at += CHUNK_BYTES) {
        const bytes = member.read(at, Math.min(CHUNK_BYTES, member.size - at));
        if (bytes === null) throw new Error('the library became shorter while it was read');
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileFailure(error, path, 'write to the cache');
  }
}
