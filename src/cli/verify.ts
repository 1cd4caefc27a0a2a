import type { Command } from 'commander';
import type { Verification } from '../bundle/verify/verify.ts';
import { AssayError } from '../failures.ts';
import { escapeLine, padEnd, wrap } from '../report/plain-text.ts';
import { addLimitOptions, type LimitFlags, limitsOf } from './bundle-limits.ts';
import { byteProgress } from './byte-progress.ts';
import { EXIT } from './exit-codes.ts';
import { collectFiles, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { showFailure } from './show-failure.ts';

interface VerifyFlags extends LimitFlags {
  readonly allowedSigners: readonly string[];
  readonly json?: boolean;
}

/** Of its own: 1 says that the evidence does not hold, whatever it says of the arms. */
const DOES_NOT_VERIFY = 1;

export function registerVerify(program: Command, context: CommandContext): void {
  addLimitOptions(program.command('verify'))
    .description('check a bundle: computes everything in it again from the raw output, and runs nothing from it')
    .argument('<bundle>', 'file that assay bundle wrote, or the folder that it was unpacked to')
    .option(
      '--allowed-signers <file>',
      'take only bundles signed by these (see ssh-keygen(1); repeatable)',
      collectFiles,
      [],
    )
    .option('--limit-seconds <n>', 'most seconds for computing trials again (default: 60)', wholeNumber(1, 1_000_000))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything that can be verified is
  1  it does not verify
  2  wrong usage, or there is nothing that can be read

Examples:
  assay verify write-path.tar.gz
  assay verify write-path.tar.gz --allowed-signers team.signers`,
    )
    .action(async (path: string, flags: VerifyFlags) => {
      const { verifyBundle } = await import('../bundle/verify/verify.ts');
      const { DEFAULT_LIMITS } = await import('../bundle/limits.ts');
      const { refuseMissing } = await import('../bundle/signature.ts');
      const { streams } = context;
      const progress = byteProgress(streams, () => performance.now());
      try {
        for (const file of flags.allowedSigners) await refuseMissing(file);
        const verification = await verifyBundle(path, {
          limits: limitsOf(flags, DEFAULT_LIMITS),
          allowedSigners: flags.allowedSigners,
          onProgress: (done, total) => progress.show('verifying', done, total),
        });
        progress.finish();
        streams.out(
          flags.json === true ? `${JSON.stringify(verification, null, 2)}\n` : verificationText(verification),
        );
        if (!verification.verified) context.exit(DOES_NOT_VERIFY);
      } catch (error) {
        progress.finish();
        if (!(error instanceof AssayError)) throw error;
        streams.err(showFailure(error.failure, 'verify'));
        context.exit(EXIT.usage);
      }
    });
}

/** Who made the bundle is told apart, and what the artefacts were no bundle can show. */
const NEVER_WHOLE: ReadonlySet<string> = new Set(['signature', 'origin']);

/** One line a question, wrapped, and the conclusion. */
function verificationText({ answers, verified, remedy, signer }: Verification): string {
  const width = Math.max(...answers.map(({ question }) => question.length));
  const lines = answers.flatMap(({ question, outcome, why }) => {
    const head = `${padEnd(question, width)}  ${padEnd(outcome, 'not possible'.length)}  `;
    return wrap(escapeLine(why), 100, head, ' '.repeat(head.length));
  });
  const origin = signer === null ? 'origin unknown' : `signed by ${escapeLine(signer)}`;
  const isWhole = answers.every(({ question, outcome }) => NEVER_WHOLE.has(question) || outcome === 'verified');
  const consistent = isWhole ? 'consistent' : 'consistent as far as it can be verified';
  const conclusion = verified ? `${consistent}; ${origin}` : 'DOES NOT VERIFY';
  return `${[...lines, ...(remedy === null ? [] : [remedy]), conclusion].join('\n')}\n`;
}
