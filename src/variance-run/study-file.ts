/** The file of a study, read and checked. */
import { resolve } from 'node:path';
import { AssayError } from '../failures.ts';
import { readExperimentFile } from '../run/experiment-file.ts';
import type { StudyRun } from '../storage/benchmark/wanted.ts';
import { readStudy, type VarianceStudy } from '../storage/study.ts';

/** @throws AssayError `usage` or `file` where it cannot be read, `experiment` with all that is wrong in the text */
export function readStudyFile(path: string): { readonly study: VarianceStudy; readonly directory: string } {
  const { name, directory, text } = readExperimentFile(path, STUDY);
  const read = readStudy(text);
  if (read.ok) {
    const { study } = read;
    return { study: { ...study, run: withPaths(study.run, directory) }, directory };
  }
  throw new AssayError({ kind: 'experiment', file: name, text, errors: read.errors });
}

/** Paths are relative to the study; a bare name of db_bench is looked for on PATH. */
function withPaths(run: StudyRun, directory: string): StudyRun {
  const { db_bench, data } = run;
  return {
    ...run,
    db_bench: db_bench?.includes('/') === true ? resolve(directory, db_bench) : db_bench,
    data: data === null ? null : resolve(directory, data),
  };
}

const STUDY = {
  noun: 'study file',
  hint: 'docs/studies.md has one to start from; `assay variance import DIR` reads a directory of results without one.',
} as const;
