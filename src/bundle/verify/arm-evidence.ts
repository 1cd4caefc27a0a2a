/**
 * Whether the evidence about arms is what the journal says was kept, what it says of their differences agrees with their digests,
 * and packed executables are what was executed.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { Journal, PreparedArm, PreparedRecord, RawFile } from '../../journal/records.ts';
import { codeContrasts } from '../../plan/code-contrasts.ts';
import { binariesOf } from '../binaries.ts';
import type { Manifest } from '../manifest.ts';

/** What is wrong with the files in `arms/`; null where nothing is, or an earlier Assay did not say what belongs there. */
export function keptFault({ kept, arms, diffs, attribution }: PreparedRecord, manifest: Manifest): string | null {
  if (kept === null) return null;
  const known = new Map(kept.map((file) => [file.path, file]));
  const packed = new Map(manifest.files.map((file) => [file.path, file]));
  const absent = new Set(manifest.absent.map(({ what }) => what));
  for (const file of kept) {
    const { path } = file;
    if (!path.startsWith('arms/')) return `${path} was kept, which is not in arms/`;
    const there = packed.get(path);
    if (there !== undefined && !isSame(there, file)) return `${path} is not what the run kept`;
    if (there === undefined && !absent.has(path)) return `${path} was kept by the run, and is not in the bundle`;
  }
  const stray = manifest.files.find(({ path }) => path.startsWith('arms/') && !known.has(path));
  if (stray !== undefined) return `${stray.path} is none of the files that the run kept`;
  const named = [
    ...diffs.flatMap((diff) => (diff.kind === 'diff' ? [diff.path] : [])),
    ...attribution.flatMap(({ disassemblies }) => disassemblies),
  ];
  const missing = named.find((path) => !known.has(path));
  if (missing !== undefined) return `${missing} is named, and was not kept`;
  return arms.map((arm) => originFault(arm, known)).find((fault) => fault !== null) ?? null;
}

function isSame(a: Omit<RawFile, 'path'>, b: Omit<RawFile, 'path'>): boolean {
  return a.sha256 === b.sha256 && a.bytes === b.bytes;
}

/** Files whose digests stand in the provenance of an arm, too. */
const DIGESTED = { 'build.log': 'build_log_sha256', 'applied.patch': 'patch_sha256' } as const;

function originFault({ arm, build, provenance }: PreparedArm, known: ReadonlyMap<string, RawFile>): string | null {
  const folder = `arms/${arm}${build === 0 ? '' : `/build-${build + 1}`}`;
  for (const [name, fact] of Object.entries(DIGESTED)) {
    const stated = provenance[fact];
    const file = known.get(`${folder}/${name}`);
    if (stated === undefined && file === undefined) continue;
    if (stated !== file?.sha256) return `${folder}/${name} and ${fact} of ${arm} are not of one file`;
  }
  return null;
}

/** What is wrong with what is said of the sources of arms; null where nothing is. */
export function diffsFault(experiment: Experiment, { kept, diffs, arms }: PreparedRecord): string | null {
  if (kept === null) return null;
  const contrasts = codeContrasts(experiment);
  const due = new Set(contrasts.map(({ arm, reference }) => `${arm} and ${reference}`));
  for (const { arm, reference, kind } of diffs) {
    const two = `${arm} and ${reference}`;
    if (!due.delete(two)) return `sources of ${two} are compared twice, or are none that the experiment compares`;
    const [ours, theirs] = [arm, reference].map((name) => sourceOf(arms, name));
    if (kind === 'none') continue;
    if (ours === null || theirs === null) return `sources of ${two} are compared, which are not both revisions of git`;
    // Two patches may come to the same: only what is without doubt is looked at.
    if (kind === 'diff' && ours === theirs) return `sources of ${two} are said to differ, and have the same digests`;
  }
  const [missing] = due;
  return missing === undefined ? null : `sources of ${missing} were not compared, and nothing says why`;
}

/** Digests of what an arm was built from; null where it is no revision of git. */
function sourceOf(arms: readonly PreparedArm[], name: string): string | null {
  const { tree, patch_sha256 = '' } = arms.find(({ arm, build }) => arm === name && build === 0)?.provenance ?? {};
  return tree === undefined ? null : `${tree} ${patch_sha256}`;
}

/** What is wrong with what is said of object files; null where nothing is. */
export function objectsFault(experiment: Experiment, { objects, arms }: PreparedRecord): string | null {
  if (experiment.attribution === null && objects.length > 0) {
    return 'object files were compared, which the experiment does not ask for';
  }
  const due = new Set(codeContrasts(experiment).map(({ arm, reference }) => `${arm} and ${reference}`));
  for (const { arm, reference, arm_path, reference_path, unequal, rest, ...counts } of objects) {
    const of = `the comparison of object files of ${arm} and ${reference}`;
    if (!due.has(`${arm} and ${reference}`)) return `${of}: the experiment does not compare them`;
    const digestOf = (name: string, path: string) =>
      arms.find((one) => one.arm === name && one.build === 0)?.files.find((file) => file.path === path)?.sha256;
    const [ours, theirs] = [digestOf(arm, arm_path), digestOf(reference, reference_path)];
    if (ours === undefined || theirs === undefined) {
      return `${of}: ${ours === undefined ? arm_path : reference_path} is none of the files that were digested`;
    }
    if (ours === theirs) return `${of}: both libraries are one file`;
    if (unequal.length + rest !== counts.differ + counts.only_in_arm + counts.only_in_reference) {
      return `${of}: ${unequal.length + rest} are listed, which are not as many as were counted`;
    }
  }
  return null;
}

/** What is wrong with packed executables and libraries; else how many there are. */
export function binariesIn(journal: Journal, manifest: Manifest): string | number {
  const packed = manifest.files.filter(({ path }) => path.startsWith('binaries/'));
  if (packed.length === 0) return 0;
  const known = new Map(binariesOf(journal).map((binary) => [binary.path, binary]));
  for (const file of packed) {
    const binary = known.get(file.path);
    if (binary === undefined) return `${file.path} is none of the files that were executed`;
    if (!isSame(file, binary)) return `${file.path} is not what was executed: its digest is not that of the journal`;
  }
  return packed.length;
}
