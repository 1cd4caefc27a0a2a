/** From what the files hold to the repetitions of each result on each side, in the order of the files. */
import type { ToolResult } from '../formats/reading.ts';
import type { Imported } from '../journal/records.ts';
import { groupsBy } from '../storage/groups.ts';
import type { ImportSide } from './request.ts';

/** A side with what its files hold, file by file; of one result alone where the side is that. */
export interface ReadSide {
  readonly arm: string;
  /** The one result that the side is; null where all of its results count. */
  readonly result: string | null;
  readonly files: readonly ReadFile[];
}

interface ReadFile {
  /** Its place in the list of files. */
  readonly file: number;
  readonly byName: ReadonlyMap<string, readonly ToolResult[]>;
}

/** One repetition of a result: what the tool measured in it, once or, where a whole file is the unit, several times. */
export interface Repetition {
  readonly results: readonly ToolResult[];
  readonly file: number;
}

/** The name that a side's one result has for all sides: theirs differ, and are what is compared. */
export const THE_RESULT = '';

export function readSide({ arm, files, result }: ImportSide, readings: readonly (readonly ToolResult[])[]): ReadSide {
  return {
    arm,
    result,
    files: files.map((file) => {
      const all = readings[file] ?? [];
      const own = result === null ? all : all.filter(({ name }) => name === result);
      return { file, byName: groupsBy(own, ({ name }) => (result === null ? name : THE_RESULT)) };
    }),
  };
}

/** Names of results in the order in which a side first has them. */
export function namesOf({ files }: ReadSide): readonly string[] {
  return [...new Set(files.flatMap(({ byName }) => [...byName.keys()]))];
}

/** Where every side has one result, and they have different names, these are the sides' own: one result for all. */
export function withOneName(sides: readonly ReadSide[]): readonly ReadSide[] {
  const names = sides.map(namesOf);
  const single = names.every((own) => own.length === 1);
  if (!single || new Set(names.flat()).size === 1) return sides;
  const renamed = ({ file, byName }: ReadFile): ReadFile => {
    const [results] = byName.values();
    return { file, byName: results === undefined ? byName : new Map([[THE_RESULT, results]]) };
  };
  return sides.map((side, at) => ({ ...side, result: names[at]?.[0] ?? null, files: side.files.map(renamed) }));
}

/** Of some result, the side has more than one repetition in one output. */
export function hasSeveralInAFile({ files }: ReadSide): boolean {
  return files.some(({ byName }) => [...byName.values()].some(({ length }) => length > 1));
}

/**
 * What a repetition is. Of a tool whose repetitions are processes of their own, each of them. Else a file, where a side has several: what
 * one process did together says nothing about another. Where every side has one file, its repetitions share a process.
 */
export function unitOf(sides: readonly ReadSide[], ownProcesses: boolean): Imported['unit'] {
  if (ownProcesses) return 'process';
  return sides.some(({ files }) => files.length > 1) ? 'file' : 'shared';
}

/** A file that lacks the result keeps its place where files are paired with files. */
export function repetitionsOf({ files }: ReadSide, result: string, unit: Imported['unit']): readonly Repetition[] {
  return files.flatMap(({ file, byName }): readonly Repetition[] => {
    const results = byName.get(result) ?? [];
    return unit === 'file' ? [{ results, file }] : results.map((one) => ({ results: [one], file }));
  });
}
