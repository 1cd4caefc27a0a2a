/** From the journals of a study's runs to its findings. Pure: nothing is read or run. */
import { progressOf } from '../../analysis/stopping.ts';
import type { Journal } from '../../journal/records.ts';
import type { Declared, EngineFindings, Interval, Lead, SizeFindings, Stance, Standing } from './analysis.ts';
import { caveatsOf } from './caveats.ts';
import { type Block, figureOf, isAhead } from './compare.ts';
import { declarations, differentSources } from './facts.ts';
import { ASPECTS, FIGURES, type FigureKind } from './figures.ts';
import { ordersOfSize } from './orders.ts';
import type { SettledStudy } from './settled.ts';
import type { StudySize } from './study.ts';

/** A size with what its run left: the journal, and what the drivers declared. */
export interface StudiedSize extends Declared {
  readonly size: StudySize;
  readonly journal: Journal;
}

export function engineFindings(settled: SettledStudy, runs: readonly StudiedSize[]): EngineFindings {
  const { study, small, seed, left_out } = settled;
  const sizes = runs.map((run) => sizeFindings(run, study.level));
  return {
    ...{ study, small, seed, left_out, sizes },
    standings: sizes.flatMap(standingsOf),
    families: sizes.flatMap(({ figures }) => figures.filter(isTested)).length,
    caveats: caveatsOf(sizes),
  };
}

function sizeFindings({ size, journal, facts, changed, unread }: StudiedSize, level: number): SizeFindings {
  const blocks = blocksOf(journal);
  const engines = journal.run.experiment.design.arms;
  const sources = (engine: string, other: string) =>
    differentSources(declarations({ facts, changed }, engine), declarations({ facts, changed }, other));
  const figures = FIGURES.map((kind) =>
    figureOf(kind, engines, blocks, level, kind.accounted ? sources : undefined),
  ).filter(({ engines: found }) => Object.values(found).some(({ mean }) => mean !== null));
  const limitations = journal.prepared?.launcher.limitations ?? [];
  const orders = ordersOfSize(figures);
  return { size, blocks: blocks.length, facts, changed, unread, limitations, figures, orders };
}

function isTested({ kind, comparisons }: SizeFindings['figures'][number]): boolean {
  return kind.main && comparisons.some(({ p }) => p !== null);
}

/** Blocks of the confirmation that are complete, in the order in which they ran. */
function blocksOf(journal: Journal): readonly Block[] {
  const complete = progressOf(journal)
    .attempts()
    .filter(({ phase, outcome }) => phase === 'confirmation' && outcome === 'complete');
  return [...complete].map(({ trials }) => ({
    order: trials.map(({ arm }) => arm),
    metrics: Object.fromEntries(trials.map(({ arm, metrics }) => [arm, possible(metrics)])),
  }));
}

/** No time, count or size is below zero: what a driver says so is not known. Of bytes written those are taken off that never were. */
function possible(metrics: Block['metrics'][string]): Block['metrics'][string] {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => {
      const isPossible = value === null || value >= 0 || name.endsWith('_written_bytes');
      return [name, isPossible ? value : null];
    }),
  );
}

/** Of each engine, aspect by aspect, in what it is told apart from others. */
function standingsOf({ size, figures }: SizeFindings): readonly Standing[] {
  const engines = Object.keys(figures[0]?.engines ?? {});
  return engines.flatMap((engine) =>
    ASPECTS.map((aspect): Standing => {
      const stances = figures
        .filter(({ kind }) => kind.main && kind.aspect === aspect)
        .map(({ kind, comparisons }) => stancesOf(engine, kind, comparisons));
      return {
        ...{ engine, size: size.name, aspect },
        better: stances.flatMap(({ better }) => (better.than.length === 0 ? [] : [better])),
        worse: stances.flatMap(({ worse }) => (worse.than.length === 0 ? [] : [worse])),
      };
    }),
  );
}

function stancesOf(
  engine: string,
  { key, better }: Pick<FigureKind, 'key' | 'better'>,
  comparisons: SizeFindings['figures'][number]['comparisons'],
): { readonly better: Stance; readonly worse: Stance } {
  const own = comparisons.filter((one) => one.told_apart && (one.engine === engine || one.other === engine));
  const those = (wanted: boolean): Stance => ({
    figure: key,
    than: own.filter((one) => isAhead(one, engine, better) === wanted).map((one) => leadOf(one, engine)),
  });
  return { better: those(true), worse: those(false) };
}

function leadOf(
  { engine, other, ratio, difference, interval }: SizeFindings['figures'][number]['comparisons'][number],
  than: string,
): Lead {
  const found = { engine: engine === than ? other : engine };
  if (ratio !== null) {
    const [low, high] = interval ?? [ratio, ratio];
    const upright: Interval = ratio > 1 ? [low, high] : [1 / high, 1 / low];
    return { ...found, times: Math.max(ratio, 1 / ratio), by: null, interval: interval === null ? null : upright };
  }
  const by = Math.abs(difference ?? 0);
  const [low, high] = interval ?? [by, by];
  const upright: Interval = (difference ?? 0) > 0 ? [low, high] : [-high, -low];
  return { ...found, times: null, by, interval: interval === null ? null : upright };
}
