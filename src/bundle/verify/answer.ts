/** What is asked of a bundle, and what the answer is. */

export type Question =
  | 'archive'
  | 'digests'
  | 'schema'
  | 'experiment'
  | 'plan'
  | 'screening'
  | 'rejections'
  | 'trials'
  | 'origin'
  | 'statistics'
  | 'reports'
  | 'signature';

/** What can be asked only where the journal can be read, in the order of the answers. */
export const OF_THE_JOURNAL: readonly Question[] = [
  ...['experiment', 'plan', 'screening', 'rejections', 'origin', 'trials', 'statistics', 'reports'],
] as const;

export interface Answer {
  readonly question: Question;
  readonly outcome: 'verified' | 'failed' | 'not possible';
  /** What was looked at, or what is wrong, or why it cannot be known. */
  readonly why: string;
}

export function verified(question: Question, why: string): Answer {
  return { question, outcome: 'verified', why };
}

export function failed(question: Question, why: string): Answer {
  return { question, outcome: 'failed', why };
}

export function notPossible(question: Question, why: string): Answer {
  return { question, outcome: 'not possible', why };
}
