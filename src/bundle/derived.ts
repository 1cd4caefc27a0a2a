/** The files of a bundle that follow from its journal and raw output alone: a reader makes them again and compares. */
import { analyse } from '../analysis/analyse.ts';
import type { Analysis } from '../analysis/analysis.ts';
import type { Journal } from '../journal/records.ts';
import { FORMATS } from '../report/formats.ts';
import { toResults } from '../report/results.ts';
import { FILE_OPTIONS, REPORT_FILES } from '../run/reports.ts';
import { verificationRecord } from './figures.ts';
import type { Manifest } from './manifest.ts';
import { bundleReadme } from './readme.ts';
import type { Recomputed } from './recompute.ts';

interface DerivedFile {
  readonly path: string;
  readonly text: string;
  /** Whether it shows what the run found. */
  readonly report: boolean;
}

/**
 * @param recorded the journal as it was packed
 * @param recomputed the same with the numbers of the raw output
 * @param analysis of the recomputed journal
 * @param evidence paths of all files of the bundle that are not made here, but the manifest
 */
export async function derivedFiles(
  recorded: Journal,
  recomputed: Recomputed,
  analysis: Analysis,
  evidence: readonly string[],
  absent: Manifest['absent'],
): Promise<readonly DerivedFile[]> {
  const { journal } = recomputed;
  const { run, prepared } = journal;
  const input = { journal, analysis, directory: null, options: FILE_OPTIONS };
  // Where the raw output says what the journal says, both have one analysis.
  const published =
    recomputed.differing.count === 0 ? input : { ...input, journal: recorded, analysis: analyse(recorded) };
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const reports: DerivedFile[] = [];
  for (const [path, format] of [...REPORT_FILES, ['report.txt', 'text'] as const]) {
    reports.push({ path, text: await FORMATS[format](input), report: true });
  }
  const facts = [
    ['experiment.yaml', run.source.text],
    ['plan.json', json(run.plan)],
    [
      'environment.json',
      json({ machine: run.machine, launcher: prepared?.launcher ?? null, assay: run.assay, versions: run.versions }),
    ],
    ['provenance.json', json(prepared?.arms ?? [])],
    ['verification.json', verificationRecord(toResults(published), toResults(input), recomputed)],
  ].map(([path = '', text = '']) => ({ path, text, report: false }));
  const made = [...reports, ...facts];
  const paths = [...evidence, ...made.map(({ path }) => path)];
  return [...made, { path: 'README.md', text: bundleReadme(journal, paths, absent), report: false }];
}
