/** What a report of a study of variance is made from. */
import type { Imported } from '../storage/import-results.ts';
import type { Variance } from '../storage/variance.ts';

export interface VarianceInput {
  readonly assay: string;
  /** Column of the reports whose variance it is. */
  readonly metric: string;
  readonly imported: Pick<Imported, 'read' | 'ignored'>;
  readonly variance: Variance;
  /** Of a comparison whose smallest detectable change is told. */
  readonly pairs: number;
}
