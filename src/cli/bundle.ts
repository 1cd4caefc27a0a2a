import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Limits } from '../bundle/limits.ts';
import type { Packed } from '../bundle/pack.ts';
import { AssayError } from '../failures.ts';
import { escapeLine } from '../report/plain-text.ts';
import { addLimitOptions, type LimitFlags, limitsOf } from './bundle-limits.ts';
import { byteProgress } from './byte-progress.ts';
import { signalExitCode } from './exit-codes.ts';
import type { CommandContext } from './program.ts';
import { showFailure } from './show-failure.ts';
import { stoppable } from './signals.ts';

interface BundleFlags extends LimitFlags {
  readonly output?: string;
  readonly force?: boolean;
  readonly keepIdentity?: boolean;
  readonly withBinaries?: boolean;
  readonly sign?: string;
  readonly json?: boolean;
}

export function registerBundle(program: Command, context: CommandContext): void {
  addLimitOptions(program.command('bundle'))
    .description('pack a run into one file that others can verify; nothing is executed')
    .argument('<dir>', 'directory of a run')
    .option('-o, --output <file>', 'where to (default: DIR.tar.gz, beside the run)')
    .option('--force', 'replace a file of that name')
    .option('--keep-identity', 'pack who ran it and where, too (identity.json)')
    .option('--with-binaries', 'pack executables and libraries, too: those that are at most --max-file-size')
    .option('--sign <key>', 'sign with this private key of ssh')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  assay bundle assay-runs/2026-01-31T12-00-00Z-write-path
  assay bundle results -o evidence.tar.gz --sign ~/.ssh/id_ed25519`,
    )
    .action(async (directory: string, flags: BundleFlags) => {
      const { packRun } = await import('../bundle/pack.ts');
      const { USUALLY_ABSENT } = await import('../bundle/contents.ts');
      const { DEFAULT_LIMITS } = await import('../bundle/limits.ts');
      const { cacheDirectory } = await import('../io/cache.ts');
      const { streams, env } = context;
      const output = flags.output ?? `${resolve(directory)}.tar.gz`;
      const progress = byteProgress(streams, () => performance.now());
      await stoppable(async (stop) => {
        try {
          const packed = await packRun(directory, {
            output,
            force: flags.force === true,
            keepIdentity: flags.keepIdentity === true,
            withBinaries: flags.withBinaries === true,
            key: flags.sign ?? null,
            cache: cacheDirectory(env),
            limits: limitsOf(flags, DEFAULT_LIMITS),
            onProgress: progress.show,
            stop,
          });
          progress.finish();
          streams.err(notes(packed, USUALLY_ABSENT, DEFAULT_LIMITS));
          streams.out(
            flags.json === true ? `${JSON.stringify({ output, ...packed }, null, 2)}\n` : summary(output, packed),
          );
        } catch (error) {
          progress.finish();
          if (!stop.aborted || !(error instanceof AssayError)) throw error;
          streams.err(showFailure(error.failure, 'bundle'));
          context.exit(signalExitCode(String(stop.reason)));
        }
      });
    });
}

const MOST_SHOWN = 5;

/**
 * What a person should see before passing the bundle on.
 * @param usual what is in no bundle, and is told in its README
 * @param limits of whoever verifies it without options
 */
function notes(packed: Packed, usual: ReadonlySet<string>, limits: Limits): string {
  const { identity, outdated, absent, verification, largest_bytes, total_bytes } = packed;
  const lines: string[] = [];
  const larger = [
    ...(largest_bytes > limits.file_bytes ? [`--max-file-size ${largest_bytes}`] : []),
    ...(total_bytes > limits.total_bytes ? [`--max-size ${total_bytes}`] : []),
  ].join(' ');
  if (larger !== '') lines.push(`note: to verify it takes assay verify ${larger}`);
  if (identity.length > 0) {
    const kinds = [...new Set(identity.flatMap((file) => file.kinds))];
    lines.push(`warning: ${identity.length} files hold ${kinds.join(', ')}; they are packed as they are:`);
    for (const { path, kinds: held } of identity.slice(0, MOST_SHOWN)) lines.push(`  ${path} (${held.join(', ')})`);
    if (identity.length > MOST_SHOWN) lines.push(`  and ${identity.length - MOST_SHOWN} more`);
  }
  for (const path of outdated) {
    lines.push(`note: ${path} beside the journal is not what this Assay makes of it; the bundle has what it makes`);
  }
  for (const { what, why } of absent.filter((one) => !usual.has(one.what))) lines.push(`not in it: ${what}: ${why}`);
  for (const { question, outcome, why } of verification.answers) {
    if (outcome === 'not possible' && question !== 'signature' && question !== 'origin')
      lines.push(`note: ${question} cannot be verified: ${why}`);
  }
  return lines.map((line) => `${line.startsWith('  ') ? '  ' : ''}${escapeLine(line)}\n`).join('');
}

function summary(output: string, { files, bytes }: Packed): string {
  return `${escapeLine(output)}: ${files} files, ${bytes} bytes; verified\n`;
}
