import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { readExperiment } from '../experiment/parse.ts';
import { buildOf, buildOfBlock, buildsIn, unbalancedBuilds } from './builds.ts';
import { codeContrasts, referenceIn } from './code-contrasts.ts';
import { williamsPeriod } from './order.ts';
import { MAIN_PHASES, makePlan, type PlannedPhase, phasesOf, plannedTrials } from './plan.ts';

function read(document: object) {
  const result = readExperiment(JSON.stringify({ title: 't', ...document }));
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.experiment;
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const half = fc.integer({ min: 1, max: 12 });

/** An experiment of two arms and any controls and comparisons, and the same without these. */
const experiments = fc
  .record({
    arms: fc.integer({ min: 2, max: 6 }),
    pairs: half,
    warmup: fc.integer({ min: 0, max: 3 }),
    screening: fc.integer({ min: 0, max: 3 }),
    builds: fc.integer({ min: 1, max: 5 }),
    controls: fc.array(fc.record({ kind: fc.constantFrom('same', 'rebuild', 'counters', 'params'), pairs: half }), {
      maxLength: 4,
    }),
    comparisons: fc.array(fc.record({ arms: fc.integer({ min: 2, max: 6 }), blocks: half }), { maxLength: 3 }),
    counting: fc.boolean(),
  })
  .map(({ arms, pairs, warmup, screening, builds, controls, comparisons, counting }) => {
    const names = NAMES.slice(0, arms);
    const main = {
      arms: Object.fromEntries(names.map((name) => [name, { git: { repo: 'engine', rev: name } }])),
      workload: { command: ['{arm.dir}/x', '{params.mode}'], params: { mode: 'write' } },
      counters: 'software',
      ...(counting ? { counting: 'callgrind' } : {}),
    };
    const design = { confirmation: { pairs: 2 * pairs }, warmup, screening: { pairs: 2 * screening }, builds };
    const value = { same: 'a', rebuild: 'b', counters: 'off', params: { mode: 'read' } };
    const sides = {
      controls: Object.fromEntries(
        controls.map((control, at) => {
          const kind = control.kind as keyof typeof value;
          return [`control-${at}`, { [kind]: value[kind], pairs: 2 * control.pairs }];
        }),
      ),
      comparisons: Object.fromEntries(
        comparisons.map(({ arms: most, blocks }, at) => {
          return [`blocks-${at}`, { arms: names.slice(0, most), blocks: 2 * blocks }];
        }),
      ),
    };
    return { alone: read({ ...main, design }), whole: read({ ...main, design, ...sides }) };
  });

/** How often each thing occurs. */
function tally(things: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}

/** Every arm at every position, and directly behind every other, equally often. */
function expectBalanced(blocks: PlannedPhase['blocks'], arms: readonly string[]): void {
  const k = arms.length;
  expect(blocks.every((block) => [...block].sort().join() === [...arms].sort().join())).toBe(true);
  const positions = tally(blocks.flatMap((block) => block.map((arm, at) => `${arm} ${at}`)));
  expect(positions.size).toBe(k * k);
  expect(new Set(positions.values()).size).toBe(1);
  const neighbours = tally(blocks.flatMap((block) => block.slice(1).map((arm, at) => `${block[at]} ${arm}`)));
  expect(neighbours.size).toBe(k * (k - 1));
  expect(new Set(neighbours.values()).size).toBe(1);
}

test('each phase is balanced by itself, and has the arms of its own alone', () => {
  fc.assert(
    fc.property(experiments, seed, ({ whole }, seed) => {
      const plan = makePlan(whole, seed);
      const names = plan.phases.map(({ phase }) => phase);
      expect(new Set(names).size).toBe(names.length);
      expect(names.every((name) => phasesOf(whole).includes(name))).toBe(true);
      for (const { phase, blocks } of plan.phases) {
        const side = whole.sides.find(({ name }) => name === phase);
        if (phase === 'warmup' || phase === 'counting') continue;
        expectBalanced(blocks, (side ?? whole.design).arms);
        const asked = { screening: whole.design.screening_pairs, confirmation: whole.design.confirmation_pairs };
        const least = side?.blocks ?? asked[phase as keyof typeof asked];
        const period = williamsPeriod((side ?? whole.design).arms.length);
        expect(blocks.length).toBeGreaterThanOrEqual(least);
        expect(blocks.length).toBeLessThan(least + period);
      }
      for (const side of whole.sides) expect(names).toContain(side.name);
    }),
    { numRuns: draws(60) },
  );
});

test('what runs beside the confirmation changes nothing of it', () => {
  fc.assert(
    fc.property(experiments, seed, ({ alone, whole }, seed) => {
      const main = makePlan(whole, seed).phases.filter(({ phase }) => MAIN_PHASES.some((one) => one === phase));
      expect(main).toEqual(makePlan(alone, seed).phases);
      // Counting comes when all that is timed is over.
      const names = makePlan(whole, seed).phases.map(({ phase }) => phase);
      if (whole.counting !== null) expect(names.at(-1)).toBe('counting');
    }),
    { numRuns: draws(60) },
  );
});

test('builds take turns, and each has both orders equally often where the pairs suffice', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 2, max: 5 }),
      half,
      seed,
      (k, builds, times, seed) => {
        const arms = Object.fromEntries(NAMES.slice(0, k).map((name) => [name, { git: { repo: 'e', rev: name } }]));
        const pairs = times * builds * williamsPeriod(k);
        const experiment = read({
          arms,
          workload: { command: ['{arm.dir}/x'] },
          design: { builds, confirmation: { pairs } },
        });
        expect(unbalancedBuilds(experiment)).toBeNull();
        const blocks = makePlan(experiment, seed).phases[0]?.blocks ?? [];
        expect(blocks).toHaveLength(pairs);
        for (let build = 0; build < builds; build++) {
          const own = blocks.filter((_, at) => buildOfBlock(at + 1, builds) === build);
          expect(own).toHaveLength(pairs / builds);
          expectBalanced(own, Object.keys(arms));
        }
      },
    ),
    { numRuns: draws(40) },
  );
});

const GIT = { before: { git: { repo: 'e', rev: 'a' } }, after: { git: { repo: 'e', rev: 'b' } } };
const BUILDS = {
  arms: { ...GIT, rebuild: { of: 'after' }, ablation: { of: 'after', patch: 'x.diff' } },
  workload: { command: ['{arm.dir}/x', '{params.mode}'], params: { mode: 'w' } },
  counters: 'software',
  counting: 'callgrind',
  design: { builds: 3, confirmation: { pairs: 6, arms: ['before', 'after'] } },
  controls: {
    again: { same: 'before' },
    layout: { rebuild: 'after' },
    uncounted: { counters: 'off' },
    reads: { params: { mode: 'r' } },
  },
  comparisons: { four: { arms: ['before', 'after', 'rebuild', 'ablation'], against: { ablation: 'rebuild' } } },
};

test('all builds run in the confirmation and in what is compared with it, elsewhere the first alone', () => {
  const experiment = read(BUILDS);
  const builds = Object.fromEntries(phasesOf(experiment).map((phase) => [phase, buildsIn(experiment, phase)]));
  expect(builds).toEqual({
    ...{ warmup: 3, screening: 3, confirmation: 3, counting: 1 },
    ...{ again: 1, layout: 1, uncounted: 3, reads: 3, four: 1 },
  });
  const confirmed = plannedTrials(makePlan(experiment, 1)).filter(({ phase }) => phase === 'confirmation');
  expect(confirmed.map((planned) => buildOf(experiment, planned))).toEqual([0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
});

test('pairs that do not go up in builds are warned of', () => {
  const experiment = read({ ...BUILDS, design: { builds: 4, confirmation: { pairs: 12, arms: ['before', 'after'] } } });
  expect(unbalancedBuilds(experiment)?.message).toBe(
    'The order of arms is not balanced within each of the 4 builds: 12 pairs are no multiple of 8.',
  );
});

test('blocks that the plan rounds up to a multiple of the builds are not', () => {
  const confirmation = { pairs: 10, arms: ['before', 'after', 'rebuild'] };
  const experiment = read({ ...BUILDS, design: { builds: 2, confirmation } });
  const counts = new Map<number, number>();
  for (const planned of plannedTrials(makePlan(experiment, 1)).filter(({ phase }) => phase === 'confirmation')) {
    const build = buildOf(experiment, planned);
    counts.set(build, (counts.get(build) ?? 0) + 1);
  }
  expect([...counts.values()]).toEqual([18, 18]);
  expect(unbalancedBuilds(experiment)).toBeNull();
  const odd = { ...BUILDS, design: { builds: 2, confirmation: { ...confirmation, pairs: 14 } } };
  expect(unbalancedBuilds(read(odd))?.message).toContain('18 blocks are no multiple of 12');
});

test('machine code is compared with what an arm is compared with, each two once', () => {
  expect(codeContrasts(read(BUILDS)).map(({ arm, reference }) => `${reference} ${arm}`)).toEqual([
    'before after',
    'after rebuild',
    'before rebuild',
    'rebuild ablation',
  ]);
});

test('arms and controls may have names that every object has', () => {
  const experiment = read({
    arms: { toString: { command: ['a'] }, constructor: { command: ['b'] }, valueOf: { command: ['c'] } },
    design: { confirmation: { arms: ['toString', 'constructor'] } },
    comparisons: {
      hasOwnProperty: { arms: ['toString', 'constructor', 'valueOf'], against: { valueOf: 'constructor' } },
    },
  });
  const [side] = experiment.sides;
  if (side === undefined) throw new Error('no comparison');
  expect(side.arms.map((arm) => referenceIn(side, arm))).toEqual(['toString', 'toString', 'constructor']);
});
