/** What must hold of a run to its end, whatever stopped and resumed it on the way. */
import { expect } from 'vitest';
import { progressOf } from '../src/analysis/stopping.ts';
import type { Journal } from '../src/journal/records.ts';
import { plannedTrials } from '../src/plan/plan.ts';

/** It has ended as complete, and every planned trial is complete once, in the planned order, whatever was repeated. */
export function expectComplete(journal: Journal): void {
  expect(journal.end?.reason.kind).toBe('complete');
  const complete = progressOf(journal)
    .attempts()
    .filter(({ outcome }) => outcome === 'complete')
    .trials()
    .map(({ phase, block, position, arm }) => ({ phase, block, position, arm }));
  expect(complete).toEqual(plannedTrials(journal.run.plan));
}
