/** Who says that it is theirs. */
import { escapeLine } from '../../report/plain-text.ts';
import type { Taken } from '../intake.ts';
import { checkSignature } from '../signature.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

/** In characters. */
const LONGEST_SIGNER = 200;

export interface Signed {
  readonly answer: Answer;
  /** As the verifier's own list calls the signer; null: unknown. */
  readonly signer: string | null;
}

/** As the list has it, harmless on a terminal. A pattern names nobody. */
function signerText(principal: string): string {
  const shown = escapeLine(principal).slice(0, LONGEST_SIGNER);
  return /[*?]/.test(principal) ? `a key allowed by the pattern \`${shown}\`` : shown;
}

/** @param allowed files of the verifier; what is in the bundle can vouch for nobody */
export async function signatureOf({ signature, manifest_bytes }: Taken, allowed: readonly string[]): Promise<Signed> {
  if (signature === null) {
    const answer =
      allowed.length === 0
        ? notPossible('signature', 'there is none: who made the bundle is not known')
        : failed('signature', 'there is none, and only bundles of the allowed signers are taken');
    return { answer, signer: null };
  }
  const check = await checkSignature(manifest_bytes, signature, allowed);
  switch (check.kind) {
    case 'signed':
      return {
        answer: verified('signature', `by ${signerText(check.principal)}`),
        signer: signerText(check.principal),
      };
    case 'unknown':
      return {
        answer: notPossible('signature', 'there is one of this manifest; name whom you trust with --allowed-signers'),
        signer: null,
      };
    case 'wrong':
      return { answer: failed('signature', check.reason), signer: null };
    case 'not possible':
      return { answer: (allowed.length === 0 ? notPossible : failed)('signature', check.reason), signer: null };
  }
}
