/** What a study of engines compares on this machine: the engines that can be had, the sizes and devices that can be made. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import type { FoundEngine } from '../storage/engines/planned.ts';
import { readStudy } from '../storage/engines/read-study.ts';
import type { LeftOut, SettledStudy } from '../storage/engines/settled.ts';
import { type EngineStudy, SMALL } from '../storage/engines/study.ts';
import type { checkSurroundings } from '../trial/surroundings/surroundings.ts';
import type { ExperimentSource } from './experiment-file.ts';
import { type Finding, readyEngines } from './ready-engines.ts';
import { keptStudy } from './study-file.ts';

export interface AskedStudy {
  readonly source: ExperimentSource;
  /** With small sizes instead of the study's own. */
  readonly small: boolean;
  /** Null: drawn, where the study has none either. */
  readonly seed: number | null;
}

export interface ComparedHere {
  /** Without what is left out. */
  readonly study: EngineStudy;
  readonly engines: readonly FoundEngine[];
  readonly left_out: readonly LeftOut[];
}

/** @throws AssayError `experiment` for what is wrong in its file */
export function parseStudy({ name, text }: ExperimentSource): EngineStudy {
  const read = readStudy(text);
  if (read.ok) return read.study;
  throw new AssayError({ kind: 'experiment', file: name, text, errors: read.errors });
}

/**
 * What a directory has of the study; null where that begins anew.
 * @throws AssayError `usage` where it holds another, or a run
 */
export function begunStudy(directory: string, asked: AskedStudy): SettledStudy | null {
  const kept = keptStudy(directory);
  if (kept === null && existsSync(join(directory, 'journal.jsonl'))) throw foreign(directory);
  if (kept !== null) checkSame(kept, asked, directory);
  return kept;
}

/**
 * What is compared on this machine; where that was settled before, only the programs are made sure of.
 * @param check of what the machine lets us make around a trial
 * @throws AssayError `usage` for what cannot be compared
 */
export async function comparedHere(
  study: EngineStudy,
  kept: SettledStudy | null,
  finding: Finding,
  check: typeof checkSurroundings,
): Promise<ComparedHere> {
  const { engines, left_out } = await readyEngines(study, finding);
  const [lost] = left_out;
  if (kept !== null && lost !== undefined) throw usage(`${lost.name}: ${lost.reason}`, lost.remedy);
  if (kept !== null) return { study: kept.study, engines, left_out: kept.left_out };
  if (engines.length < 2) {
    const reasons = left_out.map(({ name, reason, remedy }) => `${name}: ${reason}. ${remedy}`);
    throw usage('a study compares two engines or more, and fewer can be had here', reasons.join(' '));
  }
  const allowed = await allowedHere(study, check);
  return {
    study: { ...study, ...allowed.study, engines: engines.map(({ engine }) => engine) },
    engines,
    left_out: [...left_out, ...allowed.left_out],
  };
}

/** The sizes that are asked for. */
export function sizedStudy({ source, small }: AskedStudy, kept: SettledStudy | null): EngineStudy {
  const asked = parseStudy(source);
  return kept?.study ?? (small ? { ...asked, ...SMALL } : asked);
}

/** Devices and sizes with a limit of memory, as far as this machine lets us. */
async function allowedHere(
  study: EngineStudy,
  check: typeof checkSurroundings,
): Promise<{ readonly study: Pick<EngineStudy, 'device' | 'sizes'>; readonly left_out: readonly LeftOut[] }> {
  const { sizes } = study;
  const left_out: LeftOut[] = [];
  const device = await refusal(check, { memory_limit_bytes: null, device: study.device });
  if (device !== null) left_out.push({ what: 'device', name: 'device', ...device });
  const [bound] = sizes.flatMap(({ memory_limit_bytes }) => memory_limit_bytes ?? []);
  const group = await refusal(check, { memory_limit_bytes: bound ?? null, device: null });
  const possible = sizes.filter(({ memory_limit_bytes }) => group === null || memory_limit_bytes === null);
  for (const { name } of sizes) {
    if (group !== null && !possible.some((size) => size.name === name)) left_out.push({ what: 'size', name, ...group });
  }
  if (possible.length === 0 && group !== null) throw usage(`no size can run here: ${group.reason}`, group.remedy);
  return { study: { device: device === null ? study.device : null, sizes: possible }, left_out };
}

/** Why the machine does not let us make it; null where it does, or nothing is asked for. */
async function refusal(
  check: typeof checkSurroundings,
  asked: Parameters<typeof checkSurroundings>[0],
): Promise<{ readonly reason: string; readonly remedy: string } | null> {
  try {
    await check(asked);
    return null;
  } catch (error) {
    if (!(error instanceof AssayError) || error.failure.kind !== 'machine') throw error;
    const { message, remedy } = error.failure;
    return { reason: message, remedy };
  }
}

/** A study that is gone on with keeps its text, its seed and its sizes. */
function checkSame(kept: SettledStudy, { source, small, seed }: AskedStudy, directory: string): void {
  const other = (what: string) =>
    usage(`${directory} holds a study ${what}`, 'Give it as it was to go on, or name another directory with --out.');
  if (kept.text !== source.text) throw other('of another text');
  if (kept.small !== small) throw other(kept.small ? 'that was begun with --small' : 'that was begun without --small');
  if (seed !== null && seed !== kept.seed) throw other(`with the seed ${kept.seed}`);
}

function foreign(directory: string): AssayError {
  return usage(`${directory} holds a run, and no study`, 'Name another directory with --out.');
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
