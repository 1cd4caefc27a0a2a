/** The directories of `assay variance run` below one that is read. */
import { parseJson } from '../formats/json.ts';
import { readText } from '../io/text-files.ts';
import type { FoundRun } from '../storage/benchmark/found-runs.ts';
import { runRecordSchema } from '../storage/benchmark/run-record.ts';
import { stepRecordSchema } from '../storage/benchmark/step-record.ts';

const MOST_BYTES = 2 ** 20;
const RECORD = /^(?:(.*)\/)?run\.json$/s;
const STEP = /^steps\/[^/]+\/[^/]+\/step\.json$/;

/** @param files below the directory. What is none of its records, though it is called so, is passed over: it may be anybody's. */
export function findRuns(directory: string, files: readonly string[]): readonly FoundRun[] {
  return files.flatMap((file) => {
    const match = RECORD.exec(file);
    const run = match === null ? null : recordOf(directory, file, runRecordSchema);
    if (run === null) return [];
    const place = match?.[1] ?? '';
    const start = place === '' ? 0 : place.length + 1;
    const records = files
      .filter((other) => (place === '' || other.startsWith(`${place}/`)) && STEP.test(other.slice(start)))
      .flatMap((other) => recordOf(directory, other, stepRecordSchema) ?? []);
    return [{ place, run, done: records.length, cautions: [...new Set(records.flatMap((one) => one.cautions))] }];
  });
}

function recordOf<Record>(
  directory: string,
  file: string,
  schema: { safeParse: (value: unknown) => { success: true; data: Record } | { success: false } },
): Record | null {
  const read = readText(directory, file, MOST_BYTES);
  const parsed = read.ok ? schema.safeParse(parseJson(read.text)) : null;
  return parsed?.success === true ? parsed.data : null;
}
