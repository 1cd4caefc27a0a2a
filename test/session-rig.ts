/** Experiments with arms that work in turns, through the real program. */
import { fileURLToPath } from 'node:url';
import type { RanTrial } from './ran.ts';
import type { Rig } from './rig.ts';

/** In the command of every driver that a file of tests starts. */
export const TOKEN = `sessions-${process.pid}`;
export const DESIGN = 'slices: {length: 200us, session: 20ms}, confirmation: {sessions: 4}, seed: 3';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/slices/${name}`, import.meta.url));
const command = (...words: readonly (string | number)[]) => JSON.stringify([process.execPath, ...words, TOKEN]);
export const adds = (...words: (string | number)[]) => command(fixture('adds.mjs'), ...words);
export const hostile = (...words: (string | number)[]) => command(fixture('hostile.mjs'), ...words);

export function writeExperiment(rig: Rig, before: string, after: string, more = '', design = DESIGN): void {
  rig.write(
    'experiment.yaml',
    `title: in turns\narms: {before: {command: ${before}}, after: {command: ${after}}}\ndesign: {${design}}\n${more}\n`,
  );
}

export const runQuietly = (rig: Rig, ...args: string[]) =>
  rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet', ...args]);

/** Of the lines of its journal. */
export const kindsOf = (rig: Rig): string[] =>
  rig
    .read('run/journal.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).record.kind);

export function sessionsOf(rig: Rig): readonly (readonly [RanTrial, RanTrial])[] {
  const { trials } = rig.journal('run');
  return trials.flatMap((trial, at) => {
    const other = trials[at + 1];
    return trial.position === 1 && other !== undefined ? [[trial, other] as const] : [];
  });
}
