/** Which files of two arms are compared. */
import type { CodeComparison } from '../../journal/records.ts';
import { openElf, sectionDigest } from '../binary/elf.ts';
import { withFile } from '../binary/facts.ts';
import type { PreparedArm } from '../prepared-arm.ts';
import type { ListedSide } from './listing.ts';

/** A file with machine code, of one arm. */
export interface CodeFile extends Omit<ListedSide, 'layout'> {
  readonly kind: CodeComparison['file'];
  readonly text_sha256: string | null;
  /** Of the sections with data. */
  readonly data_sha256: string;
}

const DATA = ['.rodata', '.data.rel.ro', '.data', '.tdata'];

/** The files of an arm that hold machine code: what the loader executes, in the order in which the arm has them. */
export function codeFiles({ arm, files, paths, trees, driver }: PreparedArm): readonly CodeFile[] {
  return files.flatMap(({ path: shown, sha256 }, at) => {
    const path = paths[at];
    if (path === undefined || trees.includes(path)) return [];
    const facts = withFile(path, (source) => {
      const elf = openElf(source);
      if (elf === null || (elf.kind !== 'executable' && elf.kind !== 'shared')) return null;
      const starts = at === 0 || elf.kind === 'executable' || elf.sections.some(({ name }) => name === '.interp');
      return {
        kind: path === driver ? ('driver' as const) : starts ? ('executable' as const) : ('library' as const),
        text_sha256: sectionDigest(elf, '.text'),
        data_sha256: DATA.map((name) => sectionDigest(elf, name) ?? '-').join(' '),
      };
    });
    return facts === null ? [] : [{ arm, path, shown, sha256, ...facts }];
  });
}

/** Files of a kind belong together in their order. Those that are the same on both sides count only where all are. */
export function pairsOf(
  reference: readonly CodeFile[],
  arm: readonly CodeFile[],
): readonly (readonly [CodeFile, CodeFile])[] {
  const pairs = (['driver', 'library', 'executable'] as const).flatMap((kind) => {
    const right = arm.filter((file) => file.kind === kind);
    return reference
      .filter((file) => file.kind === kind)
      .flatMap((left, at) => {
        const other = right[at];
        return other === undefined ? [] : [[left, other] as const];
      });
  });
  const unequal = pairs.filter(([left, right]) => left.sha256 !== right.sha256);
  return unequal.length > 0 ? unequal : pairs.slice(0, 1);
}
