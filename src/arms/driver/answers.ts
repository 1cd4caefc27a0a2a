/** What was found out by trying, kept in the cache for as long as what was asked stays the same. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeEntry, markUsed } from '../../io/cache.ts';
import { fileFailure } from '../../io/file-failure.ts';

export interface Question {
  /** What is found out; also the name of the file with the answer. */
  readonly about: 'standard' | 'rtti';
  /** All that the answer depends on, as JSON has it. */
  readonly asked: unknown;
}

/** Null where it was not asked before. */
export async function knownAnswer(
  cache: string,
  question: Question,
  answers: readonly string[],
): Promise<string | null> {
  const path = join(cache, 'driver', entryName(question));
  const known = await readFile(join(path, question.about), 'utf8').catch(() => null);
  if (known === null || !answers.includes(known)) return null;
  await markUsed(path);
  return known;
}

export async function keepAnswer(cache: string, question: Question, answer: string): Promise<void> {
  await makeEntry(cache, 'driver', entryName(question), async (directory) => {
    const file = join(directory, question.about);
    await writeFile(file, answer).catch((error: unknown) => {
      throw fileFailure(error, file, 'write to the cache');
    });
  });
}

function entryName({ about, asked }: Question): string {
  return `${about}-${createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 24)}`;
}
