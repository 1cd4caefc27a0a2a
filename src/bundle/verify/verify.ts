/** All questions to a bundle, in their order. What is wrong with it is the answer, and no failure of the command. */
import { AssayError } from '../../failures.ts';
import type { Taken } from '../intake.ts';
import type { Limits } from '../limits.ts';
import { MANIFEST } from '../manifest.ts';
import { refusalText } from '../refusal.ts';
import { type OnProgress, takeBundle } from '../source.ts';
import { type Answer, failed, notPossible, OF_THE_JOURNAL, verified } from './answer.ts';
import { signatureOf } from './signature.ts';

export interface Verification {
  readonly answers: readonly Answer[];
  /** Whether nothing failed; what was not possible is told, and does not count against it. */
  readonly verified: boolean;
  /** What would help, where the bundle was refused before it was read to its end. */
  readonly remedy: string | null;
  /** As the verifier's own list calls the signer; null: unknown. */
  readonly signer: string | null;
  /** Bytes of the files, and how many. */
  readonly files: number;
}

export interface VerifyOptions {
  readonly limits: Limits;
  /** Files of allowed signers; none: any bundle is taken, and its origin stays unknown. */
  readonly allowedSigners: readonly string[];
  readonly onProgress: OnProgress;
}

/** Verifies a bundle, or a folder that one was unpacked to. Throws `usage` or `file` where there is nothing to read. */
export async function verifyBundle(path: string, options: VerifyOptions): Promise<Verification> {
  try {
    return await verifyTaken(await takeBundle(path, options.limits, options.onProgress), options.allowedSigners);
  } catch (error) {
    const reason = refusalText(error);
    if (reason === null || !(error instanceof AssayError)) throw error;
    const remedy = 'remedy' in error.failure ? (error.failure.remedy ?? null) : null;
    return { answers: [failed('archive', `refused: ${reason}`)], verified: false, remedy, signer: null, files: 0 };
  }
}

/** The questions to what was read of a bundle. */
export async function verifyTaken(taken: Taken, allowedSigners: readonly string[]): Promise<Verification> {
  const { manifest, digests, replay } = taken;
  const count = manifest.files.length;
  const { answer, signer } = await signatureOf(taken, allowedSigners);
  const answers: readonly Answer[] = [
    verified('archive', 'only regular files of the manifest, each once and in its order, in the one form'),
    digests.count > 0
      ? failed('digests', digests.text())
      : verified('digests', `SHA-256 and size of ${count} files are those of ${MANIFEST}`),
    schemaAnswer(taken),
    ...(replay === null
      ? OF_THE_JOURNAL.map((question) => notPossible(question, 'the journal cannot be read'))
      : // Loaded when it is asked: a bundle that is refused needs no statistics.
        await (await import('./journal.ts')).journalAnswers(taken, replay)),
    answer,
  ];
  return {
    answers,
    verified: answers.every(({ outcome }) => outcome !== 'failed'),
    remedy: null,
    signer,
    files: count,
  };
}

function schemaAnswer({ replay, journal_fault }: Taken): Answer {
  if (replay === null) return failed('schema', journal_fault ?? 'the journal cannot be read');
  const { order_fault, torn_bytes } = replay;
  if (order_fault !== null) return failed('schema', `the journal is in an order that no run gives: ${order_fault}`);
  const torn = tornText(torn_bytes);
  return verified('schema', `every line of the journal has its checksum, its form and its place${torn}`);
}

function tornText(bytes: number): string {
  return bytes === 0 ? '' : `, but for ${bytes} bytes of a last line that was cut off`;
}
