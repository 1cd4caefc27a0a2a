/** Origin and digests of the arms: what they have in common is told once, so that what differs is seen. */
import type { FileDigest, PreparedArm } from '../journal/records.ts';
import { armNote } from './evidence.ts';
import { importedFiles } from './imported.ts';
import type { ReportInput } from './input.ts';

type Origin = readonly (readonly [key: string, value: string])[];

export interface ToldArm {
  readonly arm: string;
  /** Which build it is, and whether it is the reference. */
  readonly note: string;
  readonly origin: Origin;
  readonly files: readonly FileDigest[];
}

export interface ToldArms {
  /** Of every arm that is not merely a copy of another; null where there is nothing of that kind, or one arm. */
  readonly common: { readonly origin: Origin; readonly files: readonly FileDigest[] } | null;
  readonly arms: readonly ToldArm[];
}

/** Null where no arm was prepared. */
export function toldArms(input: ReportInput): ToldArms | null {
  const { prepared, run } = input.journal;
  const { analysis } = input;
  if (run.imported !== null) return importedFiles(input, run.imported);
  if (prepared === null) return null;
  const copies = new Set(run.experiment.arms.filter(({ source }) => source.kind === 'same').map(({ name }) => name));
  const made = prepared.arms.filter(({ arm }) => !copies.has(arm));
  const [first, ...others] = made;
  const inAll = (has: (arm: PreparedArm) => boolean): boolean => others.length > 0 && others.every(has);
  const common = {
    origin: Object.entries(first?.provenance ?? {}).filter(([key, value]) =>
      inAll(({ provenance }) => Object.hasOwn(provenance, key) && provenance[key] === value),
    ),
    files: (first?.files ?? []).filter((file) => inAll(({ files }) => files.some((one) => sameFile(one, file)))),
  };
  const arms = prepared.arms.map((arm): ToldArm => {
    const own = copies.has(arm.arm)
      ? { origin: Object.entries(arm.provenance), files: arm.files }
      : {
          origin: Object.entries(arm.provenance).filter(([key]) => !common.origin.some(([known]) => known === key)),
          files: arm.files.filter((file) => !common.files.some((one) => sameFile(one, file))),
        };
    return { arm: arm.arm, note: armNote(prepared, arm, analysis.reference), ...own };
  });
  return { common: common.origin.length + common.files.length === 0 ? null : common, arms };
}

function sameFile(one: FileDigest, other: FileDigest): boolean {
  return one.path === other.path && one.sha256 === other.sha256;
}
