/** Whether results and reports are those that the raw output of the trials gives. */
import type { Analysis } from '../../analysis/analysis.ts';
import { canonicalJson } from '../../experiment/canonical.ts';
import { type Results, resultsSchema } from '../../report/results-schema.ts';
import { fewValues } from '../bounded-json.ts';
import { derivedFiles } from '../derived.ts';
import { collectFaults } from '../faults.ts';
import { figuresOf } from '../figures.ts';
import type { Taken } from '../intake.ts';
import type { Manifest } from '../manifest.ts';
import type { Recomputed } from '../recompute.ts';
import { sha256 } from '../sha256.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

const MOST_VALUES = 2_000_000;

/**
 * @param analysis of the recomputed journal
 * @param own the version of this Assay: another may word its reports otherwise
 */
export async function resultAnswers(
  taken: Taken,
  recomputed: Recomputed,
  analysis: Analysis,
  own: string,
): Promise<readonly Answer[]> {
  const { manifest, replay, results } = taken;
  if (replay === null) return [];
  const packed = new Map(manifest.files.map((file) => [file.path, file.sha256]));
  const evidence = evidenceOf(manifest);
  // Whoever packed it took the time for all trials: their files say so.
  const packing = { ...recomputed, made: recomputed.made + recomputed.slow };
  const made = await derivedFiles(replay.journal, packing, analysis, evidence, manifest.absent);
  const again = made.find(({ path }) => path === 'results.json')?.text ?? '';
  const known = new Set([...evidence, ...made.map(({ path }) => path)]);
  const differing = [
    ...made.filter(({ path, text }) => packed.get(path) !== sha256(text)).map(({ path }) => path),
    ...[...packed.keys()].filter((path) => !known.has(path)),
  ];
  const statistics = statisticsAnswer(results, again, recomputed);
  return [statistics, reportsAnswer(differing, made.length, statistics.outcome !== 'failed', manifest.assay, own)];
}

const EVIDENCE = /^(?:raw|arms|drivers|binaries)\//;

/** Files that are not made from the journal. */
function evidenceOf(manifest: Manifest): readonly string[] {
  return manifest.files
    .map(({ path }) => path)
    .filter((path) => path === 'journal.jsonl' || path === 'identity.json' || EVIDENCE.test(path));
}

function statisticsAnswer(packed: Buffer | null, again: string, { made, absent, large, slow }: Recomputed): Answer {
  const unread = absent + large + slow;
  const from =
    unread === 0
      ? 'from the raw output of all trials'
      : `from the raw output of ${made} trials, and from the journal where that is not ${slow > 0 ? 'computed again' : 'there'}`;
  if (packed === null) return failed('statistics', 'there is no results.json');
  const published = resultsOf(packed);
  const recalculated = resultsOf(Buffer.from(again));
  if (published === null || recalculated === null)
    return failed('statistics', 'results.json is not of the known format');
  const theirs = figuresOf(published);
  const faults = collectFaults();
  const ours = figuresOf(recalculated);
  if (theirs.length !== ours.length) faults.add(`${theirs.length} figures are published, ${ours.length} recalculated`);
  for (const [at, { of, figure, value }] of ours.entries()) {
    const other = theirs[at];
    if (other === undefined || (other.of === of && other.figure === figure && other.value === value)) continue;
    faults.add(`${of}: ${figure} is ${other.value ?? 'none'} as published, ${value ?? 'none'} recalculated`);
  }
  if (faults.count > 0) return failed('statistics', `${faults.text()} (${from})`);
  const part = differingPart(published, recalculated);
  if (part !== null) return failed('statistics', `${part} of results.json is another than recalculated (${from})`);
  if (unread > 0) return notPossible('statistics', `all that is published agrees with what was computed again ${from}`);
  return verified('statistics', `${ours.length} figures and all else in results.json, computed again ${from}`);
}

/** Which part of results differs, sentences apart: another version of Assay may word them otherwise. */
function differingPart(published: Results, recalculated: Results): string | null {
  const numbers = (results: Results): Readonly<Record<string, unknown>> => ({
    ...results,
    problems: results.problems.length,
    comparisons: results.comparisons.map(({ in_words: _words, verdict_reason: _reason, ...rest }) => rest),
    warnings: results.warnings.map(({ code, metric }) => ({ code, metric })),
  });
  const [a, b] = [numbers(published), numbers(recalculated)];
  return Object.keys({ ...a, ...b }).find((name) => canonicalJson(a[name]) !== canonicalJson(b[name])) ?? null;
}

function reportsAnswer(
  differing: readonly string[],
  made: number,
  equalNumbers: boolean,
  theirs: string,
  own: string,
): Answer {
  const names = differing.slice(0, 10).join(', ');
  if (differing.length === 0) return verified('reports', `${made} files, made again, byte for byte`);
  if (theirs === own || !equalNumbers) return failed('reports', `made again, these are others or none: ${names}`);
  return notPossible(
    'reports',
    `the bundle is of Assay ${theirs}, this is ${own}, which makes others of the same numbers, or none: ${names}. Verify with Assay ${theirs}`,
  );
}

function resultsOf(bytes: Buffer): Results | null {
  if (!fewValues(bytes, MOST_VALUES)) return null;
  try {
    const parsed = resultsSchema.safeParse(JSON.parse(bytes.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
