import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** It compiles drivers, and makes some thousand trials. */
test.runIf(process.env['ASSAY_TEST_FULL'] !== undefined)(
  'the benchmark of Assay itself runs in its small size',
  () => {
    const bench = fileURLToPath(new URL('../../scripts/bench.js', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [bench, '--small'], { encoding: 'utf8' });
    expect(stderr).toBe('');
    for (const name of ['a trial', 'replay of a journal', 'where a run stands', 'analysis of a journal', 'verify']) {
      expect(stdout).toMatch(new RegExp(`^${name}.* / .* \\d+\\.\\d\\d`, 'm'));
    }
  },
  600_000,
);
