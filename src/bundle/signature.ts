/** Signatures through ssh-keygen, which holds keys better than a benchmark tool could. No shell comes in. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';

/** What the signature is good for: one for mail or for git does not pass here. */
const NAMESPACE = 'assay-bundle';
const PROGRAM = 'ssh-keygen';
/** Each is one more run of the program. */
const MOST_PRINCIPALS = 100;
const MOST_OUTPUT = 64 * 2 ** 10;

/** The signature of a manifest by a private key, or by an agent that holds the private part of a public one. */
export async function signManifest(manifest: string, key: string): Promise<Buffer> {
  const ended = await run(['-Y', 'sign', '-n', NAMESPACE, '-f', key], manifest);
  if (ended !== null && ended.code === 0 && ended.stdout.includes('BEGIN SSH SIGNATURE'))
    return Buffer.from(ended.stdout);
  throw new AssayError({
    kind: 'bundle',
    message:
      ended === null
        ? `cannot sign: there is no ${PROGRAM} on PATH`
        : `cannot sign with ${key}: ${lastLine(ended.stderr)}`,
    remedy:
      'Name a private key of ssh (ssh-keygen -t ed25519 makes one), and install OpenSSH 8.1 or later. Without a terminal nobody can be asked for a passphrase: add the key to ssh-agent (ssh-add KEY), and name its public part (--sign KEY.pub).',
  });
}

/** Throws `usage` where a list of allowed signers cannot be read: then it must not look as if it had nobody in it. */
export async function refuseMissing(signers: string): Promise<void> {
  await access(signers, constants.R_OK).catch(() => {
    throw new AssayError({
      kind: 'usage',
      message: `the allowed signers in ${signers} cannot be read`,
      remedy: 'Name a file with one line a signer: NAME KEY (ssh-keygen(1), ALLOWED SIGNERS).',
    });
  });
}

export type SignatureCheck =
  | { readonly kind: 'signed'; readonly principal: string }
  /** Made of this manifest, but nobody is named who is trusted. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'not possible'; readonly reason: string };

/**
 * Who of the allowed signers made the signature.
 * @param allowed paths of files as ssh-keygen(1) describes under ALLOWED SIGNERS; none: only whether it is of this manifest
 */
export async function checkSignature(
  manifest: Buffer,
  signature: Buffer,
  allowed: readonly string[],
): Promise<SignatureCheck> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-signature-'));
  try {
    const file = join(directory, 'signature');
    await writeFile(file, signature, { mode: 0o600 });
    const whole = await run(['-Y', 'check-novalidate', '-n', NAMESPACE, '-s', file], manifest);
    if (whole === null) return { kind: 'not possible', reason: `there is no ${PROGRAM} on PATH` };
    if (whole.code !== 0) return { kind: 'wrong', reason: `it is not of this manifest: ${lastLine(whole.stderr)}` };
    if (allowed.length === 0) return { kind: 'unknown' };
    for (const signers of allowed) {
      const found = await run(['-Y', 'find-principals', '-s', file, '-f', signers], '');
      // A line of the list may name several.
      const named = found?.code === 0 ? found.stdout.split(/[\n,]/).filter((name) => name !== '') : [];
      for (const principal of named.slice(0, MOST_PRINCIPALS)) {
        const args = ['-Y', 'verify', '-n', NAMESPACE, '-s', file, '-f', signers, '-I', principal];
        if ((await run(args, manifest))?.code === 0) return { kind: 'signed', principal };
      }
    }
    return { kind: 'wrong', reason: 'it is by none of the allowed signers' };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Null where there is no such program. It may ask for a passphrase on the terminal, and then waits for it. */
function run(args: readonly string[], input: string | Buffer): Promise<Ended | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (texts[name].length < MOST_OUTPUT) texts[name] += text;
      });
    }
    child.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(null) : reject(error)));
    child.on('close', (code) => resolve({ code, ...texts }));
    // It may end before it has read all: then its exit code says why.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() || 'it gave no reason';
}
