/** What the runs of a study of engines show: plain data that reports are made of. */
import type { FigureKind } from './figures.ts';
import type { LeftOut } from './settled.ts';
import type { EngineStudy, StudySize } from './study.ts';

export type Interval = readonly [low: number, high: number];

/** What a driver declares of its engine: of the first trial of each. */
export type EngineFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One figure of one engine. */
export interface Figure {
  /** In the order of the blocks; null where the trial has none. */
  readonly values: readonly (number | null)[];
  /** The geometric mean of those that are there; the arithmetic one where a value is zero. Null: there is none. */
  readonly mean: number | null;
  /** Of the mean, by t; null for fewer than two values. */
  readonly interval: Interval | null;
  /** From 1, the best: how many are surely better, and how many are not surely worse. Null without an interval. */
  readonly rank: { readonly best: number; readonly worst: number } | null;
}

/** Two engines by one figure, block by block. */
export interface EngineComparison {
  readonly engine: string;
  readonly other: string;
  /** Of `engine` to `other`: geometric mean over blocks; null with the reason. */
  readonly ratio: number | null;
  /** At the level of its step in Holm's procedure over all pairs of engines of the figure. */
  readonly interval: Interval | null;
  readonly p: number | null;
  /** Adjusted. */
  readonly adjusted_p: number | null;
  readonly told_apart: boolean;
  readonly blocks: number;
  readonly reason: string | null;
}

/** Whether it mattered who ran first: of engines whose intervals do not overlap. */
export interface OrderAgreement {
  readonly apart: number;
  /** Pairs of engines that have the other order where the one ran first than where the other did. */
  readonly conflicts: readonly (readonly [engine: string, other: string])[];
  /** Pairs that never ran in both orders. */
  readonly untested: number;
}

export interface FigureOfSize {
  readonly kind: Omit<FigureKind, 'of'>;
  /** By engine, in the order of the study. */
  readonly engines: Readonly<Record<string, Figure>>;
  readonly comparisons: readonly EngineComparison[];
  readonly orders: OrderAgreement;
}

export interface SizeFindings {
  readonly size: StudySize;
  readonly blocks: number;
  /** Whether so many blocks could show that two engines whose intervals are apart change places with the order. */
  readonly order_shows: boolean;
  readonly facts: Readonly<Record<string, EngineFacts>>;
  /** Those that at least one engine has. */
  readonly figures: readonly FigureOfSize[];
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
  | { readonly code: 'not-io-bound' | 'not-cached'; readonly size: string }
  | { readonly code: 'assertions' | 'assertions-unknown' | 'compression' | 'cache-unbounded' | 'bytes-of-process' };

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
  /** How many times the better one has of the worse: above 1. */
  readonly than: readonly { readonly engine: string; readonly times: number }[];
}

export interface EngineFindings {
  readonly study: EngineStudy;
  readonly small: boolean;
  readonly seed: number;
  readonly left_out: readonly LeftOut[];
  readonly sizes: readonly SizeFindings[];
  readonly standings: readonly Standing[];
  readonly caveats: readonly Caveat[];
}
