/** Runs with controls, comparisons beside the confirmation and several builds, for the golden files. */
import type { ArmSource } from '../src/experiment/experiment.ts';
import type { CodeComparison } from '../src/journal/records.ts';
import { type JournalOptions, journalOf, type SideOptions } from './journal-builder.ts';
import type { RanJournal, RanTrial } from './ran.ts';
import { around, PAIRS } from './report-values.ts';

const WRITE = 545_000;

/** Values of several arms, as factors of `mean`. */
function arms(mean: number, factors: Readonly<Record<string, number>>, spread: number, seed: number, count = PAIRS) {
  return Object.fromEntries(
    Object.entries(factors).map(([arm, factor], at) => [arm, around(mean * factor, spread, seed + at, count)]),
  );
}

export function gitSource(
  rev: string,
  again: { of: string; copy: number } | null = null,
  patch: string | null = null,
): ArmSource {
  return {
    ...{ kind: 'git', repo: '../engine', rev, submodules: false, patch, build_env: {}, again },
    build: [['make', '-j2', 'static_lib']],
    build_timeout_ms: 3_600_000,
  };
}

const BASE = {
  title: 'Write path, a commit and its parent',
  seed: 20_240_105,
  values: {
    write: arms(WRITE, { before: 1, after: 1.0132 }, 0.004, 201),
    read: arms(912, { before: 1, after: 1 }, 0.004, 211),
  },
  metrics: { write: { per: 1000 }, read: { primary: false } },
  sources: { before: gitSource('v1'), after: gitSource('v2'), rebuilt: gitSource('v2', { of: 'after', copy: 1 }) },
} satisfies Partial<JournalOptions>;

const AA: SideOptions = {
  name: 'same',
  control: { kind: 'same' },
  values: {
    write: arms(WRITE, { before: 1, 'before-twin': 1.0002 }, 0.004, 221, 8),
    read: arms(912, { before: 1, 'before-twin': 1 }, 0.004, 223, 8),
  },
};

const rebuild = (factor: number): SideOptions => ({
  name: 'rebuild',
  control: { kind: 'rebuild' },
  values: {
    write: arms(WRITE, { after: 1.0132, rebuilt: 1.0132 * factor }, 0.004, 231, 8),
    read: arms(912, { after: 1, rebuilt: 1 }, 0.004, 233, 8),
  },
});

const SAME_CODE: CodeComparison = {
  ...{
    arm: 'rebuilt',
    reference: 'after',
    file: 'executable',
    arm_path: '{arm.dir}/bench',
    reference_path: '{arm.dir}/bench',
  },
  ...{ same_file: false, same_text: true, same_data: true, symbols: 'all', functions: null, differing: [], rest: 0 },
  ...{ named: [], disassemblies: [] },
};

/** Every kind of control, and nothing wrong. */
function controls(): RanJournal {
  return journalOf({
    ...BASE,
    constructed: true,
    counters: 'hardware',
    unchanged: [{ name: 'reads', metric: 'read' }],
    sides: [
      AA,
      rebuild(1.001),
      {
        name: 'uncounted',
        control: { kind: 'uncounted' },
        values: { write: arms(WRITE * 0.99, { before: 1, after: 1.0147 }, 0.004, 241, 10) },
      },
      {
        name: 'point-reads',
        control: { kind: 'unchanged' },
        params: { operation: 'get' },
        metrics: ['write'],
        values: { write: arms(WRITE / 3, { before: 1, after: 1.0003 }, 0.004, 251, 8) },
      },
    ],
  });
}

/** The two copies of one artefact differ, and so does what cannot have changed. */
function controlsFailed(): RanJournal {
  return journalOf({
    ...BASE,
    unchanged: [{ name: 'reads', metric: 'read' }],
    values: { ...BASE.values, read: arms(912, { before: 1, after: 1.03 }, 0.004, 211) },
    sides: [{ ...AA, values: { write: arms(WRITE, { before: 1, 'before-twin': 1.021 }, 0.004, 221, 8) } }],
  });
}

/** A small effect: no larger than a rebuild moves, and a control that could not have seen it; one pair of it was rejected. */
function controlsWeak(): RanJournal {
  const noisy = (trial: RanTrial): RanTrial =>
    trial.phase === 'same' && trial.block === 3 ? { ...trial, noise: { ...trial.noise, steal: 0.1 } } : trial;
  return journalOf({
    ...BASE,
    values: { write: arms(WRITE, { before: 1, after: 1.0042 }, 0.004, 201) },
    rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
    max_repeats: 0,
    sides: [AA, rebuild(1.006)],
    change: noisy,
  });
}

const FIVE = { before: 1, after: 1.0132, rebuilt: 1.0134, 'no-size': 1.0131, 'no-publish': 1.0081 };

const FIVE_SOURCES = {
  before: gitSource('5e3d1c0a^'),
  after: gitSource('5e3d1c0a'),
  rebuilt: gitSource('5e3d1c0a', { of: 'after', copy: 1 }),
  'no-size': gitSource('5e3d1c0a', { of: 'after', copy: 2 }, 'no-size.patch'),
  'no-publish': gitSource('5e3d1c0a', { of: 'after', copy: 3 }, 'no-publish.patch'),
};

/** Ten blocks of five versions, with counters and without. */
function ablations(): RanJournal {
  const against = { rebuilt: 'after', 'no-size': 'rebuilt', 'no-publish': 'rebuilt' };
  const cycles = { before: 1, after: 1.0121, rebuilt: 1.0122, 'no-size': 1.012, 'no-publish': 1.0081 };
  return journalOf({
    ...BASE,
    counters: 'hardware',
    values: { write: BASE.values.write, cycles: arms(1_900_000, { before: 1, after: 1.0121 }, 0.001, 261) },
    metrics: {
      write: { per: 1000 },
      cycles: { primary: false, unit: 'cycles', per: 1000, from: { kind: 'counter', name: 'cycles' } },
    },
    sources: FIVE_SOURCES,
    attribution: [SAME_CODE],
    sides: [
      {
        ...{ name: 'five-counted', against, counters: 'hardware' },
        values: { write: arms(WRITE, FIVE, 0.003, 271, 10), cycles: arms(1_900_000, cycles, 0.001, 281, 10) },
      },
      { ...{ name: 'five', against }, values: { write: arms(WRITE * 0.99, FIVE, 0.003, 291, 10) } },
    ],
    change: (trial) =>
      trial.phase === 'five'
        ? trial
        : {
            ...trial,
            counters: { kind: 'hardware', scope: 'region', events: {}, enabled_ns: 1e9, running_ns: 1e9 },
          },
  });
}

/** Parts that do less than a rebuild may, and one within a margin. */
function ablationsWithin(): RanJournal {
  const five = { before: 1, after: 1.0132, rebuilt: 1.0152, 'no-size': 1.0151, 'no-publish': 1.0111 };
  return journalOf({
    ...BASE,
    values: { write: BASE.values.write },
    metrics: { write: { per: 1000, margin: 0.006 } },
    sources: FIVE_SOURCES,
    sides: [
      rebuild(1.004),
      {
        ...{ name: 'five', against: { rebuilt: 'after', 'no-size': 'rebuilt', 'no-publish': 'rebuilt' } },
        values: { write: arms(WRITE, five, 0.002, 341, 20) },
      },
    ],
  });
}

/** Counting changes the effect; a metric that a control names differs; a rebuild differs in its data alone. */
function uncountedFailed(): RanJournal {
  return journalOf({
    ...BASE,
    counters: 'hardware',
    attribution: [{ ...SAME_CODE, same_data: false }],
    sides: [
      rebuild(1),
      {
        ...{ name: 'uncounted', control: { kind: 'uncounted' } },
        values: { write: arms(WRITE * 0.99, { before: 1, after: 1.0001 }, 0.004, 351, 10) },
      },
      {
        ...{ name: 'scans', control: { kind: 'unchanged' }, params: { operation: 'scan' }, metrics: ['read'] },
        values: { read: arms(912, { before: 1, after: 1.0003 }, 0.004, 361, 8) },
      },
    ],
  });
}

/** Some builds of each arm, of which one differs. */
function builds(count = 4): RanJournal {
  const layout = [1, 1.004, 0.999, 1.002];
  const before = around(WRITE, 0.003, 301);
  const after = around(WRITE * 1.0132, 0.003, 302).map((value, at) => value * (layout[at % 4] ?? 1));
  return journalOf({
    ...BASE,
    values: { write: { before, after } },
    builds: count,
  });
}

const NASTY = '**a**|<b>\u001b[31m @x';

/** Names by somebody who means no good. */
function besideHostile(): RanJournal {
  const nasty = { [NASTY]: 1, after: 1.01 };
  return journalOf({
    ...BASE,
    values: { [NASTY]: arms(WRITE, nasty, 0.004, 311) },
    metrics: {},
    sources: { after: gitSource('x') },
    unchanged: [{ name: NASTY, metric: NASTY }],
    sides: [
      { name: 'x', control: { kind: 'same' }, values: { [NASTY]: arms(WRITE, nasty, 0.004, 321, 8) } },
      { name: 'y', values: { [NASTY]: arms(WRITE, { ...nasty, third: 1 }, 0.004, 331, 9) } },
    ],
  });
}

export const BESIDE_CASES: Readonly<Record<string, () => RanJournal>> = {
  controls,
  'controls-failed': controlsFailed,
  'controls-weak': controlsWeak,
  'rebuild-same': () => journalOf({ ...BASE, sides: [rebuild(1)], attribution: [SAME_CODE] }),
  ablations,
  'ablations-within': ablationsWithin,
  'uncounted-failed': uncountedFailed,
  builds,
  'builds-unbalanced': () => builds(3),
  'beside-hostile': besideHostile,
  // It was stopped in the control.
  'beside-incomplete': () => {
    const whole = journalOf({ ...BASE, sides: [AA], end: { kind: 'signal', signal: 'SIGINT' } });
    return { ...whole, trials: whole.trials.slice(0, -5) };
  },
};
