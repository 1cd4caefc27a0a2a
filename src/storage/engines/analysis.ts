/** What the runs of a study of engines show: plain data that reports are made of. */
import type { FigureKind } from './figures.ts';
import type { ScaleName } from './scale.ts';
import type { LeftOut } from './settled.ts';
import type { EngineStudy, StudySize } from './study.ts';

export type Interval = readonly [low: number, high: number];

/** What a driver declares of its engine in one trial. */
export type EngineFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A fact of an engine that must not change, and did: not the same in all trials of a size. */
export interface ChangedFact {
  readonly fact: string;
  /** In the order in which they came; of very many the first ones. */
  readonly values: readonly FactValue[];
  /** Whose output was read. */
  readonly trials: number;
}

export interface FactValue {
  /** Null: the driver did not say. */
  readonly value: EngineFacts[string] | null;
  readonly trials: number;
  /** Of the first of them. */
  readonly block: number;
}

/** What the drivers of a run declared, by engine. */
export interface Declared {
  /** Of the first trial of each. */
  readonly facts: Readonly<Record<string, EngineFacts>>;
  /** In which a later trial of an engine declared something else than an earlier one. */
  readonly changed: Readonly<Record<string, readonly ChangedFact[]>>;
  /** Trials whose output is gone. */
  readonly unread: readonly { readonly engine: string; readonly trials: number; readonly of: number }[];
}

/** One figure of one engine. */
export interface Figure {
  /** In the order of the blocks; null where the trial has none. */
  readonly values: readonly (number | null)[];
  /** Of those that are there, on the scale of the figure. Null: there is none. */
  readonly mean: number | null;
  /** Of the mean, by t; null for fewer than two values, and where they are all the same. */
  readonly interval: Interval | null;
  /** Two values or more, all of them the same. */
  readonly exact: boolean;
  /** From 1, the best: how many are told apart as better, and how many are not told apart as worse. Null where nothing is compared. */
  readonly rank: { readonly best: number; readonly worst: number } | null;
}

/** Two engines by one figure, block by block. */
export interface EngineComparison {
  readonly engine: string;
  readonly other: string;
  /** Of `engine` to `other`: geometric mean over blocks; null where the figure is taken by differences, or with the reason. */
  readonly ratio: number | null;
  /** `engine` less `other`, in the figure's unit; null where the figure is taken by ratios, or with the reason. */
  readonly difference: number | null;
  /** Both have one value in all blocks: told apart where these differ by more than a step of what is counted, and no test. */
  readonly exact: boolean;
  /** Of the ratio or the difference, at the level of its step in Holm's procedure over all pairs of engines of the figure. */
  readonly interval: Interval | null;
  readonly interval_level: number | null;
  readonly p: number | null;
  /** Adjusted. */
  readonly adjusted_p: number | null;
  readonly told_apart: boolean;
  readonly blocks: number;
  readonly reason: string | null;
}

/** How much more the later of two engines had than the earlier, whichever of them it was. */
export interface OrderEffect {
  readonly engine: string;
  readonly other: string;
  /** A fraction where the figure is taken by ratios, else in its unit. */
  readonly effect: number;
  /** At the level of its step in Holm's procedure over all pairs of engines of the figure. */
  readonly interval: Interval;
  readonly interval_level: number;
  readonly p: number;
  readonly adjusted_p: number;
  readonly not_null: boolean;
  /** Whether it is larger than what the two engines differ by. */
  readonly exceeds_difference: boolean;
}

/** Whether it mattered who ran first. */
export interface OrdersOfFigure {
  /** Of pairs of engines with two blocks or more in either order. */
  readonly effects: readonly OrderEffect[];
  readonly told_apart: number;
  /** Of these, such as never ran in both orders. */
  readonly one_order: number;
  /** Of these, such as have the other order where the one ran first than where the other did. */
  readonly changed: readonly (readonly [engine: string, other: string])[];
  /** Of these, such as have blocks enough that they could be told apart and change places. */
  readonly could_change: number;
}

/** An order effect with its figure. */
export type SizedOrderEffect = OrderEffect & { readonly figure: string; readonly scale: ScaleName };

/** Over all figures of a size. */
export interface OrdersOfSize {
  /** Figures with order effects: Holm's adjustment is within each. */
  readonly families: number;
  readonly tested: number;
  readonly not_null: number;
  /** Of those that are not null, else of all. Null where none is taken by ratios. */
  readonly largest: SizedOrderEffect | null;
  /** Not null, and larger than what the two engines differ by. */
  readonly conflicts: readonly SizedOrderEffect[];
  readonly told_apart: number;
  readonly one_order: number;
  readonly keep: number;
  readonly changed: number;
  readonly could_change: number;
}

export interface FigureOfSize {
  readonly kind: Omit<FigureKind, 'of' | 'quantum' | 'coarse'>;
  /** Of means and comparisons, of all engines: geometric means and ratios, or arithmetic means and differences. */
  readonly scale: ScaleName;
  /** By engine, in the order of the study. */
  readonly engines: Readonly<Record<string, Figure>>;
  readonly comparisons: readonly EngineComparison[];
  readonly orders: OrdersOfFigure;
}

export interface SizeFindings extends Declared {
  readonly size: StudySize;
  readonly blocks: number;
  /** What its run could not do, in sentences. */
  readonly limitations: readonly { readonly message: string; readonly remedy: string }[];
  /** Those that at least one engine has. */
  readonly figures: readonly FigureOfSize[];
  readonly orders: OrdersOfSize;
}

/** A thing that engines differ in, or that a number is weaker for. */
export type Caveat = { readonly engines: readonly string[] } & CaveatKind;

export type CaveatKind =
  | { readonly code: 'not-durable'; readonly sync: string }
  | {
      readonly code: 'differ';
      readonly promise: string;
      readonly groups: readonly { readonly value: string; readonly engines: readonly string[] }[];
    }
  | {
      readonly code: 'not-io-bound' | 'not-cached' | 'overwrites-in-buffer' | 'reads-that-wrote';
      readonly size: string;
    }
  /** The engine was not the same in all trials of a size, as far as its driver says. */
  | ({ readonly code: 'changing'; readonly size: string } & ChangedFact)
  /** What they declared in so many trials is not known. */
  | { readonly code: 'unread'; readonly size: string; readonly trials: number; readonly of: number }
  /** The figure lies so far apart in the blocks of these engines that its mean is one of a mixture. */
  | { readonly code: 'mixture'; readonly size: string; readonly figure: string }
  | { readonly code: PlainCaveat };

/** Of engines, and of nothing else. */
export type PlainCaveat = 'assertions' | 'assertions-unknown' | 'compression' | 'cache-unbounded' | 'bytes-of-process';

/** Figures of one aspect in which an engine is told apart from others. */
export interface Standing {
  readonly engine: string;
  readonly size: string;
  readonly aspect: FigureKind['aspect'];
  readonly better: readonly Stance[];
  readonly worse: readonly Stance[];
}

export interface Stance {
  readonly figure: string;
  readonly than: readonly Lead[];
}

/** By how much two engines lie apart. */
export interface Lead {
  readonly engine: string;
  /** How many times the better one has of the worse: above 1. Null where the figure is taken by differences. */
  readonly times: number | null;
  /** Else the difference in the figure's unit: above 0. */
  readonly by: number | null;
  /** Of either, at the level of its step in Holm's procedure; null where both engines are exact. */
  readonly interval: Interval | null;
}

export interface EngineFindings {
  readonly study: EngineStudy;
  readonly small: boolean;
  readonly seed: number;
  readonly left_out: readonly LeftOut[];
  readonly sizes: readonly SizeFindings[];
  readonly standings: readonly Standing[];
  /** Figures of sizes by which engines are tested against each other for standings: Holm's adjustment is within each. */
  readonly families: number;
  readonly caveats: readonly Caveat[];
}
