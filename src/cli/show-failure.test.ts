import { describe, expect, it } from 'vitest';
import { showFailure } from './show-failure.ts';

const FULL = { kind: 'file', path: 'run/x', operation: 'write', code: 'ENOSPC' } as const;

describe('a full disk', () => {
  it.each([
    ['run', 'assay run --resume DIR'],
    ['compare', 'assay run --resume DIR'],
    ['calibrate', 'the same command with --out DIR'],
    ['engines', 'the same command with --out DIR'],
    ['variance run', 'assay variance run --resume DIR'],
  ])('says how %s goes on', (command, goOn) => {
    const text = showFailure(FULL, command);
    expect(text).toContain(`or go on with a run that had begun: ${goOn}. What was measured is intact.\n`);
  });

  it.each(['import', 'report', 'bundle', 'variance import', 'init', ''])('has %j given again', (command) => {
    expect(showFailure(FULL, command)).toBe(
      'assay: cannot write: run/x: the disk is full\n  Free some space, then give the command again.\n',
    );
  });

  it('is not all that helps where a failure has a remedy of its own', () => {
    expect(showFailure({ ...FULL, remedy: 'Do this.' }, 'run')).toMatch(/full\n {2}Do this\.\n$/);
  });
});
