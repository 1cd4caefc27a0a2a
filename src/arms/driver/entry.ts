/** What the cache keeps beside a program that Assay compiled: what was compiled into it, so that a change of that is noticed. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../formats/json.ts';
import { digestFile } from '../../io/digest.ts';
import { fileFailure } from '../../io/file-failure.ts';

const ENTRY_FILE = 'entry.json';
const entrySchema = z.object({
  format: z.literal(1),
  executable_sha256: z.string(),
  inputs: z.array(z.string()),
  inputs_sha256: z.string(),
});
type Entry = z.infer<typeof entrySchema>;

/** @param directory where the executable is */
export async function writeEntry(directory: string, entry: Entry): Promise<void> {
  const file = join(directory, ENTRY_FILE);
  await writeFile(file, JSON.stringify(entry)).catch((error: unknown) => {
    throw fileFailure(error, file, 'write to the cache');
  });
}

/** @param name of the executable in the entry */
export async function readEntry(path: string, name: string): Promise<Entry | 'missing' | 'changed'> {
  if ((await stat(path).catch(() => null)) === null) return 'missing';
  try {
    const entry = entrySchema.parse(JSON.parse(await readFile(join(path, ENTRY_FILE), 'utf8')));
    const executable = await digestFile(join(path, name));
    if (executable?.sha256 !== entry.executable_sha256) return 'changed';
    return (await inputsDigest(entry.inputs)) === entry.inputs_sha256 ? entry : 'changed';
  } catch {
    // A file that is gone or was damaged: whatever it is, it is not what was made.
    return 'changed';
  }
}

/** SHA-256 over the paths and contents of files. */
export async function inputsDigest(inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of inputs) {
    const digest = await digestFile(path);
    hash.update(`${digest?.sha256 ?? '-'} ${path}\0`);
  }
  return hash.digest('hex');
}

/**
 * Everything that was compiled into a driver, as it was: absolute paths of its sources and of all headers, those of the system
 * too. Null where the cache does not know a driver of this digest any more, or a file has changed since.
 */
export async function compiledInputs(cache: string, inputs_sha256: string): Promise<readonly string[] | null> {
  const entries = await readdir(join(cache, 'driver')).catch(() => []);
  for (const name of entries.sort()) {
    const text = await readFile(join(cache, 'driver', name, ENTRY_FILE), 'utf8').catch(() => null);
    const entry = text === null ? null : entrySchema.safeParse(parseJson(text));
    if (entry?.success !== true || entry.data.inputs_sha256 !== inputs_sha256) continue;
    const now = await inputsDigest(entry.data.inputs).catch(() => null);
    if (now === inputs_sha256) return entry.data.inputs;
  }
  return null;
}
