import type { Revision } from './experiment.ts';

/** A revision as a person reads it. */
export function revisionText(rev: Revision): string {
  return typeof rev === 'string' ? rev : `the merge base of ${rev.merge_base.join(' and ')}`;
}
