/** Trials of the confirmation as plots show them: numbered as they ran, each with what became of it. */
import type { TrialRow } from '../../analysis/analysis.ts';
import type { ReportInput } from '../input.ts';
import { formatTime } from '../numbers.ts';
import type { Look } from './symbols.ts';
import { HTML } from './text.ts';

export type Status = 'counted' | 'rejected' | 'failed' | 'left out';

export const REJECTED: Look = { color: 'var(--rejected)', shape: 'times' };
export const FAILED: Look = { color: 'var(--rejected)', shape: 'plus' };

export function statusOf({ included, reason }: TrialRow): Status {
  if (included) return 'counted';
  if (reason.startsWith('failed:')) return 'failed';
  return reason.startsWith('rejected:') ? 'rejected' : 'left out';
}

/** Which trial it was, in words. */
export function placeOf(trial: TrialRow, number: number, noun: string): string {
  const attempt = trial.attempt > 1 ? `, attempt ${trial.attempt}` : '';
  const time = trial.started_unix_ms === null ? '' : `, ${formatTime(trial.started_unix_ms)}`;
  const reason = trial.reason === '' ? '' : `; ${HTML.prose(trial.reason)}`;
  return `trial ${number}, ${noun} ${trial.block}${attempt}, ${HTML.prose(trial.arm)}${time}${reason}`;
}

/** Trials of the confirmation, numbered as they ran. */
export function confirmationOf({
  analysis,
}: ReportInput): readonly { trial: TrialRow; number: number; index: number }[] {
  return analysis.trials
    .map((trial, index) => ({ trial, index }))
    .filter(({ trial }) => trial.phase === 'confirmation')
    .map((one, at) => ({ ...one, number: at + 1 }));
}
