/** What a comparison beside the confirmation is about, read from where its arms come from. */
import type { Experiment, GitSource } from '../experiment/experiment.ts';
import type { Journal, PreparedArm } from '../journal/records.ts';
import type { SideRole } from './analysis.ts';

export interface Role {
  readonly role: SideRole;
  /** Of an ablation: whether its reference was prepared again as it was. */
  readonly rebuilt_reference: boolean;
}

type Sides = { readonly arm: string; readonly reference: string };

/**
 * `stock`: an arm of the confirmation against its reference. `rebuild`: a source prepared again against that source. `ablation`: the
 * same with a patch of its own.
 */
export function roleOf(experiment: Experiment, { arm, reference }: Sides): Role {
  const { design } = experiment;
  const ours = copyOf(experiment, arm);
  const theirs = copyOf(experiment, reference);
  const from = theirs === null ? { of: reference, patched: false } : theirs;
  const rebuilt_reference = theirs !== null && !theirs.patched;
  if (ours !== null && ours.of === from.of && !from.patched) {
    return { role: ours.patched ? 'ablation' : 'rebuild', rebuilt_reference };
  }
  const stock = reference === experiment.reference && design.arms.includes(arm) && design.arms.includes(reference);
  return { role: stock ? 'stock' : 'other', rebuilt_reference };
}

/** Of which arm it is the source again, and whether with a patch that the arm does not have; null for any other. */
export function copyOf(
  experiment: Experiment,
  name: string,
): { readonly of: string; readonly patched: boolean } | null {
  const source = gitSource(experiment, name);
  if (source === null || source.again === null) return null;
  const { of } = source.again;
  return { of, patched: source.patch !== (gitSource(experiment, of)?.patch ?? null) };
}

function gitSource({ arms }: Experiment, name: string): GitSource | null {
  const source = arms.find((arm) => arm.name === name)?.source;
  return source?.kind === 'git' ? source : null;
}

/** Whether both sides run the same machine code: by the comparison of it, or by the digests of all their files. */
export function isSameCode({ run, prepared }: Journal, { arm, reference }: Sides): boolean {
  if (
    run.experiment.arms.some(({ name, source }) => name === arm && source.kind === 'same' && source.of === reference)
  ) {
    return true;
  }
  const compared = (prepared?.attribution ?? []).filter(
    (code) => (code.arm === arm && code.reference === reference) || (code.arm === reference && code.reference === arm),
  );
  if (compared.some(({ same_text }) => same_text === false)) return false;
  if (compared.some(({ same_text, same_file }) => same_text === true || same_file)) return true;
  const digests = (name: string) => digestsOf(prepared?.arms.find((one) => one.arm === name));
  const ours = digests(arm);
  return ours !== null && ours === digests(reference);
}

function digestsOf(arm: PreparedArm | undefined): string | null {
  if (arm === undefined || arm.files.length === 0) return null;
  return JSON.stringify(arm.files.map(({ path, sha256 }) => [path, sha256]));
}
