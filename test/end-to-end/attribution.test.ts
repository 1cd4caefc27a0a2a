/** Machine code of two programs compared before they run, through the built program. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRig } from '../rig.ts';

const FILE = `
title: two programs
arms: {before: {command: [./before]}, after: {command: [./after]}}
design: {confirmation: {pairs: 2}}
attribution: true
`;

test.runIf(process.env['ASSAY_TEST_FULL'] === '1')(
  'which function differs is in journal, report and a file',
  async () => {
    const rig = openRig();
    try {
      for (const [name, factor] of [
        ['before', 3],
        ['after', 5],
      ] as const) {
        rig.write(
          `${name}.c`,
          `__attribute__((noinline)) int times(int x) { return x * ${factor}; } int main(int c, char **v) { return times(c) > 9; }`,
        );
        execFileSync('gcc', ['-O2', '-o', name, `${name}.c`], { cwd: rig.directory });
      }
      rig.write('experiment.yaml', FILE);
      const { stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
      expect(stdout).toMatch(/\n {2}after and before: 1 of \d+ functions differ\.\n/);
      expect(rig.journal('run').prepared?.attribution).toMatchObject([
        {
          ...{ arm: 'after', file: 'executable', arm_path: '{experiment.dir}/after', functions: { differ: 1 } },
          ...{ differing: [{ name: 'times' }], disassemblies: ['arms/before-vs-after/executable-01-times.txt'] },
        },
      ]);
      const folder = join(rig.directory, 'run/arms/before-vs-after');
      expect(readdirSync(folder)).toEqual(['executable-01-times.txt']);
      const text = readFileSync(join(folder, 'executable-01-times.txt'), 'utf8');
      expect(text).toContain('{experiment.dir}/before');
      expect(text).not.toContain(rig.directory);
      expect((await rig.assay(['run', '--resume', 'run'])).stdout).toBe(stdout);
    } finally {
      rig.remove();
    }
  },
);
