/** Packs runs, which ends with what a stranger would do: no bundle gets its name that does not verify. */
import { expect } from 'vitest';
import type { Packed } from '../src/bundle/pack.ts';
import type { Rig } from './rig.ts';

/** Packs the run as RUN.tar.gz, and says which of a verifier's questions were answered by yes: of the others none by no. */
export async function packVerified(rig: Rig, run = 'run'): Promise<readonly string[]> {
  const { code, stdout } = await rig.assay(['bundle', run, '--json']);
  expect(code).toBe(0);
  const { verification }: Packed = JSON.parse(stdout);
  expect(verification.answers.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  if (process.env['ASSAY_TEST_FULL'] === '1') expect((await rig.assay(['verify', `${run}.tar.gz`])).code).toBe(0);
  return verification.answers.filter(({ outcome }) => outcome === 'verified').map(({ question }) => question);
}
