/** Who says that it is theirs. */
import type { Taken } from '../intake.ts';
import { checkSignature } from '../signature.ts';
import { type Answer, failed, notPossible, verified } from './answer.ts';

export interface Origin {
  readonly answer: Answer;
  /** As the verifier's own list calls the signer; null: unknown. */
  readonly signer: string | null;
}

/** @param allowed files of the verifier; what is in the bundle can vouch for nobody */
export async function originOf({ signature, manifest_bytes }: Taken, allowed: readonly string[]): Promise<Origin> {
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
      return { answer: verified('signature', `by ${check.principal}`), signer: check.principal };
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
