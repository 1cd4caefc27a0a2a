/** `study.json` beside the runs of a study: what was settled before the first of them. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import { parseJson } from '../formats/json.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { fileFailure } from '../io/file-failure.ts';
import { makeDirectories } from '../io/make-directories.ts';
import { type SettledStudy, settledSchema } from '../storage/engines/settled.ts';

const STUDY_FILE = 'study.json';

/** Null where the directory holds none. @throws AssayError `usage` where it cannot be read as one */
export function keptStudy(directory: string): SettledStudy | null {
  const path = join(directory, STUDY_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw fileFailure(error, path, 'read what the study settled');
  }
  const parsed = settledSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new AssayError({
    kind: 'usage',
    message: `${path} is not what this version of Assay wrote`,
    remedy: 'Name another directory with --out.',
  });
}

/** Makes the directory where it is missing. */
export async function keepStudy(directory: string, study: SettledStudy): Promise<void> {
  try {
    makeDirectories(directory);
  } catch (error) {
    throw fileFailure(error, directory, 'make the directory of the study');
  }
  await writeFileAtomically(join(directory, STUDY_FILE), `${JSON.stringify(study, null, 2)}\n`);
}

/** Whether a path is a directory, and so no study's file. */
export function isStudyDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
