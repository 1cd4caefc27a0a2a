/** Results in files, for a study of variance: those below a directory, and those that a study names. */
import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileFailure } from '../io/file-failure.ts';
import { filesBelow, readText } from '../io/text-files.ts';
import { type Imported, type ImportRules, importResults } from '../storage/import-results.ts';
import type { VarianceStudy } from '../storage/study.ts';
import { type NamedFiles, studyResults } from '../storage/study-results.ts';
import { findRuns } from './found-runs.ts';

/** A summary of a hundred repetitions of a hundred steps has 2 MB. */
const MOST_BYTES = 16 * 2 ** 20;

export interface FoundResults {
  readonly imported: Imported;
  /** There were more files, or deeper directories, than are looked at. */
  readonly cut: boolean;
}

/** @throws AssayError `file` where the directory cannot be read */
export function importDirectory(directory: string, rules: ImportRules): FoundResults {
  const { files, cut } = filesBelow(directory);
  const read = (path: string) => readText(directory, path, MOST_BYTES);
  const root = basename(resolve(directory)) || 'results';
  const runs = findRuns(directory, files);
  return { imported: importResults({ root, paths: files, runs, read }, rules), cut };
}

/**
 * @param base the directory of the study, to which its paths are relative
 * @throws AssayError `file` where a path that the study names cannot be read
 */
export function importStudy(study: VarianceStudy, base: string, mostSteps: number): FoundResults {
  let isCut = false;
  const named = study.results.flatMap((of) =>
    of.files.map((path): NamedFiles => {
      const place = resolve(base, path);
      if (!isDirectory(place)) {
        const read = () => readText(dirname(place), basename(place), MOST_BYTES);
        return { of, path, within: null, runs: [], read };
      }
      const { files, cut } = filesBelow(place);
      isCut ||= cut;
      const runs = findRuns(place, files);
      return { of, path, within: files, runs, read: (file) => readText(place, file, MOST_BYTES) };
    }),
  );
  return { imported: studyResults(study, named, mostSteps), cut: isCut };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw fileFailure(error, path, 'read what the study names', undefined, 'in the study');
  }
}
