/** What a report of a study of variance is made from. */
import type { Imported } from '../storage/import-results.ts';
import type { Variance } from '../storage/variance.ts';

export interface VarianceInput {
  readonly assay: string;
  /** Of the study; null where it has none. */
  readonly title: string | null;
  /** Where it was measured: by a run of the benchmark that this account belongs to, or elsewhere. */
  readonly source: 'elsewhere' | 'here';
  /** Column of the reports, or metric of a tool, whose variance it is. */
  readonly metric: string;
  readonly imported: Pick<Imported, 'read' | 'ignored'>;
  readonly variance: Variance;
  /** Of a comparison whose smallest detectable change is told. */
  readonly pairs: number;
}
