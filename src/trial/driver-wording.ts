/** What a driver says of its own workload for reports: what is timed, and what the numbers are no claim about. */
import type { DriverWording } from '../journal/records.ts';
import { findResultLine } from './result-line.ts';

/** In characters. What is longer is cut: wording never fails a trial. */
const LONGEST_TIMED = 1000;
const LONGEST_CLAIM = 200;
const MOST_CLAIMS = 20;

/** From the facts `timed` and `not_a_claim_about` of the result line; null where it has neither in the right form. */
export function wordingOf(stdout: string): DriverWording | null {
  const found = findResultLine(stdout);
  if (!found.ok) return null;
  const { timed, not_a_claim_about: claims } = found.line.facts;
  const wording: DriverWording = {
    timed: typeof timed === 'string' ? sentenceOf(timed, LONGEST_TIMED) : null,
    not_a_claim_about: (Array.isArray(claims) ? claims : [])
      .flatMap((claim) => (typeof claim === 'string' ? (sentenceOf(claim, LONGEST_CLAIM) ?? []) : []))
      .slice(0, MOST_CLAIMS),
  };
  return wording.timed === null && wording.not_a_claim_about.length === 0 ? null : wording;
}

/** Visible characters on one line, cut to a length; null where there are none. */
function sentenceOf(text: string, longest: number): string | null {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const cut = [...line.slice(0, 2 * longest)].slice(0, longest).join('');
  return cut === '' ? null : `${cut}${cut.length < line.length ? '…' : ''}`;
}
