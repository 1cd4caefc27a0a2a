/**
 * What is found out about prepared arms before the first trial, for those who read or check the run: what of their sources, object
 * files and machine code differs, and what their libraries consist of.
 */
import type { Experiment } from '../experiment/experiment.ts';
import type { ObjectComparison, PreparedRecord, SourceDiff } from '../journal/records.ts';
import { codeContrasts } from '../plan/code-contrasts.ts';
import { armFailure } from './arm-failure.ts';
import { type AttributionOutcome, attribute, type ComparedArms } from './attribution/attribution.ts';
import { compareObjects, type Library } from './attribution/objects.ts';
import { type Inventory, inventoryOf, isArchive } from './binary/inventory.ts';
import type { ToolContext } from './compiler.ts';
import { diffSources } from './git/source-diff.ts';
import { type EvidenceFile, libraryFiles } from './library-record.ts';
import type { PreparedArm } from './prepared-arm.ts';

export interface ArmEvidence extends Pick<PreparedRecord, 'attribution' | 'objects' | 'diffs'> {
  /** What could not be compared, by arm. */
  readonly warnings: AttributionOutcome['warnings'];
  readonly files: readonly EvidenceFile[];
}

export const NO_EVIDENCE: ArmEvidence = { attribution: [], objects: [], diffs: [], warnings: [], files: [] };

interface EvidenceContext extends ToolContext {
  readonly cache: string;
  readonly onProgress: (message: string) => void;
  /** Puts placeholders for identity into a text. */
  readonly redact: (text: string) => string;
}

/**
 * Compares arms in their first builds, each with what the experiment compares it with.
 * @returns null where the user stopped it
 * @throws AssayError `file` where a file cannot be read; `arm` where a library is not any more what it was
 */
export async function armEvidence(
  experiment: Experiment,
  arms: readonly PreparedArm[],
  context: EvidenceContext,
): Promise<ArmEvidence | null> {
  const first = arms.filter(({ build }) => build === 0);
  const pairs = codeContrasts(experiment);
  const sources = await diffsOf(first, pairs, context);
  if (sources === null) return null;
  const read = inventories();
  const libraries = first.flatMap((arm) => {
    // Of an arm that is another one, that one's says it.
    const isAnother = experiment.arms.some(({ name, source }) => name === arm.arm && source.kind === 'same');
    if (arm.library === null || isAnother) return [];
    const inventory = read(arm.library.path, arm.library.facts.sha256);
    if (typeof inventory === 'string') {
      throw armFailure(arm.arm, `${arm.library.path} ${inventory}`, 'Let its build end, then run again.');
    }
    return libraryFiles(arm, arm.library, inventory, context.redact);
  });
  const files = [...sources.files, ...libraries];
  const { diffs } = sources;
  if (experiment.attribution === null) return { ...NO_EVIDENCE, diffs, files };
  const objects = objectsOf(first, pairs, read);
  const code = await attribute(experiment.attribution, arms, pairs, context);
  if (code === null) return null;
  const listings = code.files.map(({ path, text }) => ({ path, content: Buffer.from(context.redact(text)) }));
  return {
    ...{ attribution: code.comparisons, objects: objects.comparisons, diffs },
    warnings: [...code.warnings, ...objects.warnings],
    files: [...files, ...listings],
  };
}

async function diffsOf(
  arms: readonly PreparedArm[],
  pairs: readonly ComparedArms[],
  context: ToolContext,
): Promise<{ readonly diffs: readonly SourceDiff[]; readonly files: readonly EvidenceFile[] } | null> {
  const diffs: SourceDiff[] = [];
  const files: EvidenceFile[] = [];
  for (const { arm, reference } of pairs) {
    const outcome = await diffSources(named(arms, reference), named(arms, arm), context);
    if (outcome === null) return null;
    const { diff, content } = outcome;
    diffs.push(diff);
    if (diff.kind === 'diff' && content !== null) files.push({ path: diff.path, content });
  }
  return { diffs, files };
}

type ReadInventory = (path: string, sha256: string) => Inventory | string;

/** Arms often share a library: each is read once. */
function inventories(): ReadInventory {
  const known = new Map<string, Inventory | string>();
  return (path, sha256) => {
    const found = known.get(sha256) ?? inventoryOf(path);
    known.set(sha256, found);
    return found;
  };
}

interface ObjectOutcome {
  readonly comparisons: readonly ObjectComparison[];
  readonly warnings: ArmEvidence['warnings'];
}

/** Static libraries of two arms belong together in the order in which the arms have them. */
function objectsOf(arms: readonly PreparedArm[], pairs: readonly ComparedArms[], read: ReadInventory): ObjectOutcome {
  const comparisons: ObjectComparison[] = [];
  const warnings: ArmEvidence['warnings'][number][] = [];
  for (const { arm, reference } of pairs) {
    const ours = archivesOf(named(arms, arm));
    for (const [at, left] of archivesOf(named(arms, reference)).entries()) {
      const right = ours[at];
      if (right === undefined || right.sha256 === left.sha256) continue;
      const sides: Library[] = [];
      for (const { path, sha256, ...side } of [left, right]) {
        const inventory = read(path, sha256);
        if (typeof inventory !== 'string') sides.push({ ...side, objects: inventory.objects });
        else
          warnings.push({
            arm,
            code: 'objects-not-compared',
            message: `object files of ${arm} and ${reference} were not compared: ${side.shown} of ${side.arm} ${inventory}`,
            remedy: 'Make a whole archive: ar rcs.',
          });
      }
      if (sides[0] !== undefined && sides[1] !== undefined) comparisons.push(compareObjects(sides[0], sides[1]));
    }
  }
  return { comparisons, warnings };
}

/** Static libraries among the files of an arm, thin ones too. */
function archivesOf({ arm, files, paths, trees }: PreparedArm) {
  return files.flatMap(({ path: shown, sha256 }, at) => {
    const path = paths[at];
    return path === undefined || trees.includes(path) || !isArchive(path) ? [] : [{ arm, shown, path, sha256 }];
  });
}

function named(arms: readonly PreparedArm[], name: string): PreparedArm {
  const found = arms.find(({ arm }) => arm === name);
  if (found === undefined) throw new Error(`${name} is one of the arms`);
  return found;
}
