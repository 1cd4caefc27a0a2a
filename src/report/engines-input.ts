/** What the report of a study of engines is made from. */
import type { EngineFindings } from '../storage/engines/analysis.ts';

export interface EnginesInput {
  readonly assay: string;
  readonly findings: EngineFindings;
}
