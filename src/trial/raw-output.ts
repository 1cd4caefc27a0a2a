/** The raw output of a trial: kept in the run's directory, digested, and read for metrics and checks. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Experiment, Metric, MetricSource } from '../experiment/experiment.ts';
import { keepRawFile, readRegularFile } from '../io/raw-file.ts';
import type { RawFile } from '../journal/records.ts';
import type { FileText, RawOutput } from './extract.ts';
import type { LaunchAccount } from './launch.ts';

/** Of a file that a metric reads. */
const MOST_FILE_BYTES = 16 << 20;
/** Of a file of Assay's own: the slices of a session. */
const MOST_OWN_BYTES = 64 << 20;

/** What looks at the output, and how much of that there may be. */
interface OutputReaders extends Pick<Experiment, 'checks' | 'workload'> {
  readonly metrics: readonly Metric[];
}

/**
 * Reads stdout, stderr and account from the trial's raw folder, and copies the files that metrics and checks read there.
 * @param data the trial's directory, full of whatever the subject left
 * @param runPath the run's directory; `folder` is the trial's raw folder within it
 * @param others names of further files there that are part of the output; none where there is no such file
 */
export function collectRawOutput(
  readers: OutputReaders,
  account: LaunchAccount,
  data: string,
  runPath: string,
  folder: string,
  others: readonly string[] = [],
): { readonly output: RawOutput; readonly files: readonly RawFile[] } {
  const files: RawFile[] = [];
  const most = Math.max(MOST_OWN_BYTES, readers.workload.max_output_bytes);
  const own = (name: string): string => {
    const path = join(folder, name);
    const read = readRegularFile(runPath, path, most);
    // A subject that never started has no output.
    if (!read.ok) return '';
    files.push({ path, bytes: read.bytes.length, sha256: createHash('sha256').update(read.bytes).digest('hex') });
    return read.bytes.toString('utf8');
  };
  const stdout = own('stdout');
  const stderr = own('stderr');
  own('account.json');
  for (const name of others) own(name);
  const texts: [string, FileText][] = [];
  for (const name of filesRead(readers)) {
    const path = join(folder, 'files', name);
    const kept = keepRawFile(data, name, MOST_FILE_BYTES, join(runPath, path));
    if (kept.ok) files.push({ path, bytes: kept.bytes.length, sha256: kept.sha256 });
    texts.push([name, kept.ok ? kept.bytes.toString('utf8') : { missing: kept.reason }]);
  }
  return { output: { stdout, stderr, files: Object.fromEntries(texts), account }, files };
}

/** Paths of the files that metrics and checks read, each once. */
export function filesRead({ metrics, checks }: OutputReaders): ReadonlySet<string> {
  const sources: MetricSource[] = [
    ...metrics.map(({ from }) => from),
    ...checks.flatMap((check) => (check.kind === 'equal' ? [check.from] : [])),
  ];
  return new Set(sources.flatMap(fileOf));
}

function fileOf(source: MetricSource): readonly string[] {
  if (source.kind === 'file') return [source.path];
  return source.kind === 'tool' && source.text.kind === 'file' ? [source.text.path] : [];
}
