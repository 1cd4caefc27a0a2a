/** The text of an experiment, and where it came from. */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import { readExperiment } from '../experiment/parse.ts';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';

export interface ExperimentSource {
  /** As errors and reports name it. */
  readonly name: string;
  /** Absolute: what relative paths in the experiment are relative to. */
  readonly directory: string;
  readonly text: string;
}

const MAX_BYTES = 1 << 20;

/** What a file should be, and where one comes from: a sentence. */
interface FileKind {
  readonly noun: 'experiment file' | 'study file';
  readonly hint: string;
}

const EXPERIMENT: FileKind = {
  noun: 'experiment file',
  hint: '`assay init` writes an experiment file to start from.',
};

/** Reads an experiment file, or another that a person wrote, as text; it is not parsed here. */
export function readExperimentFile(path: string, { noun, hint }: FileKind = EXPERIMENT): ExperimentSource {
  try {
    const bytes = readStart(path, MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new AssayError({
        kind: 'usage',
        message: `${path} is larger than 1 MiB`,
        remedy: `Is it the ${noun}? ${hint}`,
      });
    }
    return { name: basename(path), directory: dirname(resolve(path)), text: bytes.toString('utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new AssayError({
        kind: 'usage',
        message: `there is no file ${path}`,
        remedy: `Check the name. ${hint}`,
      });
    }
    throw fileFailure(error, path, `read the ${noun}`);
  }
}

/** @throws AssayError `experiment` with all that is wrong in the text */
export function parseExperiment({ name, text }: ExperimentSource): Experiment {
  const read = readExperiment(text);
  if (read.ok) return read.experiment;
  throw new AssayError({ kind: 'experiment', file: name, text, errors: read.errors });
}

/** Any file may be given, a pipe of the shell's too; a device that has no end must not fill the memory. */
function readStart(path: string, length: number): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    let total = 0;
    for (let read = -1; read !== 0 && total < length; total += read) {
      read = readSync(descriptor, buffer, total, length - total, null);
    }
    return buffer.subarray(0, total);
  } finally {
    closeSync(descriptor);
  }
}
