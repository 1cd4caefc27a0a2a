/**
 * From files of results that were measured elsewhere to a run: its experiment, its pairs, and the values of each repetition. A pure
 * function of the request and the files, so that a bundle's reader makes it again and compares.
 */
import type { Experiment, Workload } from '../experiment/experiment.ts';
import type { ToolResult } from '../formats/reading.ts';
import { toolOf } from '../formats/tools.ts';
import type { Imported, RawFile, RunRecord, TrialLine } from '../journal/records.ts';
import type { Plan } from '../plan/plan.ts';
import { cutShown, quoteStart } from '../trial/quote.ts';
import { choosePrimary, findMetrics, MOST_METRICS, metricsOf, type SidesOfResult } from './metrics.ts';
import { importWarnings } from './notices.ts';
import { type Block, turnsOf } from './order.ts';
import {
  hasSeveralInAFile,
  namesOf,
  type Repetition,
  readSide,
  repetitionsOf,
  unitOf,
  withOneName,
} from './repetitions.ts';
import { IMPORT_LEVEL, type ImportRequest } from './request.ts';
import { type FoundMetric, valueIn } from './values.ts';

/** Of bundles that strangers verify. */
const MOST_PAIRS = 10_000;
const MOST_REPETITIONS = 100_000;
const MOST_RESULTS = 1000;
const LONGEST_REASON = 300;

/** A file that was given, in the order of the request. */
export interface GivenFile extends RawFile {
  readonly text: string;
}

interface ImportedRun extends Pick<RunRecord, 'experiment' | 'plan'> {
  readonly imported: Imported;
  readonly trials: readonly TrialLine[];
}

export type ImportOutcome =
  | { readonly ok: true; readonly run: ImportedRun }
  /** Sentences without a full stop, and with one. */
  | { readonly ok: false; readonly message: string; readonly remedy: string };

export function importRun(request: ImportRequest, files: readonly GivenFile[]): ImportOutcome {
  const { title, read, own_processes, in_a_row } = toolOf(request.tool);
  const readings: (readonly ToolResult[])[] = [];
  const said: { readonly file: string; readonly warnings: Imported['warnings'] }[] = [];
  for (const [at, { text }] of files.entries()) {
    const name = request.files[at]?.name ?? '';
    const reading = read(text);
    if (!reading.ok) {
      const message = `${quoteStart(name)} is no output of ${title} that can be read: ${cutShown(reading.reason, LONGEST_REASON)}`;
      return refused(message, 'Name files of one tool, and which it is with --tool where that is not found.');
    }
    readings.push(reading.results);
    said.push({ file: name, warnings: reading.warnings });
  }
  const copied = copiesOf(request, files);
  if (copied !== null) return refused(copied, 'Each repetition counts once: leave the copy out.');
  const sides = withOneName(request.sides.map((side) => readSide(side, readings)));
  const together = request.interleaved && in_a_row === true && sides.some(hasSeveralInAFile);
  const unit = unitOf(sides, own_processes === true && !together);
  if (unit === 'shared' && request.interleaved) {
    const why = together
      ? `${title} runs the repetitions of a side one after another`
      : `the repetitions of a side share one process of ${title}`;
    const message = `${why}, so that they did not run in turns with those of another`;
    return refused(message, 'Give each side a file for each process that ran, or leave --interleaved out.');
  }
  const names = sides.map((side) => new Set(namesOf(side)));
  const common = [...(names[0] ?? [])].filter((name) => names.every((own) => own.has(name)));
  if (common.length === 0) return refused(...nothingInCommon(request, sides.map(namesOf)));
  if (common.length > MOST_RESULTS)
    return refused(`all sides have ${common.length} results`, `At most ${MOST_RESULTS} can be compared.`);
  const results = common.map((result): SidesOfResult => {
    return { result, repetitions: sides.map((side) => repetitionsOf(side, result, unit)) };
  });
  const { found, otherUnits } = findMetrics(results);
  if (found.length === 0) {
    return refused(
      'no result has a metric that all sides have in one unit',
      'Give results of the same benchmark, measured alike.',
    );
  }
  const chosen = choosePrimary(found, request.metrics, toolOf(request.tool).beside ?? []);
  if (!chosen.ok) return chosen;
  const taken = found.length > MOST_METRICS ? chosen.primary : found;
  const pairs = Math.max(...results.map(pairsOf));
  if (pairs * request.sides.length > MOST_REPETITIONS) {
    return refused(
      `all sides together have ${pairs * request.sides.length} repetitions to compare`,
      `At most ${MOST_REPETITIONS} can be.`,
    );
  }
  if (pairs > MOST_PAIRS) return refused(`the sides have ${pairs} repetitions`, `At most ${MOST_PAIRS} can be paired.`);
  const blocks = blocksOf(request, results, pairs);
  const turns = unit === 'shared' ? null : turnsOf(blocks);
  const order: Imported['order'] = turns !== null ? 'shown' : request.interleaved ? 'said' : 'unknown';
  const arms = request.sides.map(({ arm }) => arm);
  const plan: Plan = {
    seed: null,
    sequential: null,
    phases: [{ phase: 'confirmation', blocks: turns ?? blocks.map(() => arms) }],
  };
  const experiment = experimentOf(request, pairs, taken, chosen.primary);
  const imported: Imported = {
    tool: request.tool,
    files: files.map(({ path, bytes, sha256 }, at) => ({
      ...{ path, bytes, sha256, name: request.files[at]?.name ?? '' },
      arms: request.sides.filter((side) => side.files.includes(at)).map(({ arm }) => arm),
    })),
    sides: sides.map(({ arm, result }) => ({ arm, result })),
    ...{ order, unit },
    warnings: importWarnings(request, {
      ...{ sides, results, unit, order, said, otherUnits, turns, files },
      leftOut: found.filter((one) => !taken.includes(one)),
    }),
  };
  return { ok: true, run: { experiment, plan, imported, trials: trialsOf(request, plan, experiment, taken, results) } };
}

function refused(message: string, remedy: string): ImportOutcome & { readonly ok: false } {
  return { ok: false, message, remedy };
}

function nothingInCommon(
  { sides }: ImportRequest,
  names: readonly (readonly string[])[],
): [message: string, remedy: string] {
  const [side, other] = names.map((own, at) => {
    const named = own.slice(0, 5).map((name) => quoteStart(name));
    const list =
      own.length === 0 ? 'none' : `${named.join(', ')}${own.length > 5 ? ` and ${own.length - 5} more` : ''}`;
    return `${sides[at]?.arm ?? ''} has ${list}`;
  });
  return [
    `no result is there on all sides: ${side}; ${other}`,
    'Give results that are called alike, or one result a side.',
  ];
}

/** One measurement twice on a side would pass for two that agree. */
function copiesOf({ sides, files: named }: ImportRequest, files: readonly GivenFile[]): string | null {
  for (const side of sides) {
    const seen = new Map<string, number>();
    for (const at of side.files) {
      const digest = files[at]?.sha256 ?? '';
      const before = seen.get(digest);
      if (before !== undefined) {
        const [one, other] = [before, at].map((place) => quoteStart(named[place]?.name ?? ''));
        return `${one} and ${other} of ${side.arm} are the same, byte by byte`;
      }
      seen.set(digest, at);
    }
  }
  return null;
}

/** As many as the side with the fewest has. */
function pairsOf({ repetitions }: SidesOfResult): number {
  return Math.min(...repetitions.map(({ length }) => length));
}

function blocksOf(request: ImportRequest, results: readonly SidesOfResult[], pairs: number): readonly Block[] {
  return Array.from({ length: pairs }, (_, at) =>
    request.sides.map(({ arm }, side) => ({
      arm,
      repetitions: results.flatMap((one) => {
        const repetition = at < pairsOf(one) ? one.repetitions[side]?.[at] : undefined;
        return repetition === undefined ? [] : [repetition];
      }),
    })),
  );
}

/** Of what a run needs, an import has what stands for none: nothing is started. */
const NO_WORKLOAD: Workload = {
  ...{ driver: null, command: null, shell: false, cwd: '', env: {}, pass_env: [], stdin: null, params: {} },
  ...{ timeout_ms: 0, max_output_bytes: 0, drop_caches: false, memory_limit_bytes: null, device: null },
};
const NO_MACHINE: Experiment['machine'] = {
  ...{ cpu: null, orchestrator_cpu: null, layout: 'random', environment_padding: 0, real_time: false },
  require: { governor: null, turbo: null, virtual: null, min_cpus: null, max_load: null },
};

function experimentOf(
  { title, sides, threshold, margin }: ImportRequest,
  pairs: number,
  taken: readonly FoundMetric[],
  primary: readonly FoundMetric[],
): Experiment {
  const [first, second, ...rest] = sides.map(({ arm: name }): Experiment['arms'][number] => {
    return { name, source: { kind: 'imported' }, library: null, command: null, env: {}, params: {} };
  });
  const [metric, ...metrics] = metricsOf(taken, primary, { threshold, margin });
  if (first === undefined || second === undefined || metric === undefined) {
    throw new RangeError('an import has two sides and a metric');
  }
  return {
    ...{ title, question: null, constructed: false, reference: first.name, workload: NO_WORKLOAD },
    arms: [first, second, ...rest],
    metrics: [metric, ...metrics],
    checks: [],
    design: {
      arms: [first.name, second.name, ...rest.map(({ name }) => name)],
      ...{ builds: 1, screening_pairs: 0, confirmation_pairs: pairs, sequential: null, warmup: 0, order: 'balanced' },
      ...{ slices: null, seed: null, max_gap_ms: null },
    },
    ...{ sides: [], unchanged: [], counters: 'off', machine: NO_MACHINE, reject: { rules: [], max_repeats: 0 } },
    decision: { level: IMPORT_LEVEL, threshold, margin },
    ...{ counting: null, attribution: null, calibrates: null, trial_dir: null },
  };
}

function trialsOf(
  { sides }: ImportRequest,
  { phases }: Plan,
  { metrics }: Experiment,
  taken: readonly FoundMetric[],
  results: readonly SidesOfResult[],
): readonly TrialLine[] {
  const columns = taken.flatMap((one, at) => {
    const own = results.find(({ result }) => result === one.result);
    const metric = metrics[at];
    return own === undefined || metric === undefined
      ? []
      : [{ own, metric, name: one.metric.name, pairs: pairsOf(own) }];
  });
  const failureOf = (repetition: Repetition | undefined) =>
    repetition?.results.find(({ failure }) => failure !== null)?.failure ?? null;
  const places = new Map(sides.map(({ arm }, at) => [arm, at]));
  return (phases[0]?.blocks ?? []).flatMap((arms, block) =>
    arms.map((arm, position): TrialLine => {
      const side = places.get(arm) ?? 0;
      const here = columns.map(({ own, metric, name, pairs }) => {
        return { metric, name, repetition: block < pairs ? own.repetitions[side]?.[block] : undefined };
      });
      const failed = here.find(({ metric, repetition }) => metric.primary && failureOf(repetition) !== null);
      return {
        ...{ kind: 'trial', phase: 'confirmation', block: block + 1, position: position + 1, arm, attempt: 1 },
        account: null,
        metrics: Object.fromEntries(
          here.map(({ metric, name, repetition }) => [
            metric.name,
            repetition === undefined ? null : valueIn(repetition, name),
          ]),
        ),
        ...{ operations: {}, checks: [], counted: null, wording: null, reader_warnings: [] },
        failure:
          failed === undefined
            ? null
            : {
                ...{ kind: 'metric', metric: failed.metric.name },
                message: `its result failed: ${cutShown(failureOf(failed.repetition) ?? '', LONGEST_REASON)}`,
              },
        ...{ last_words: null, counters: null, state: null, raw: [] },
        noise: { steal: null, other_cpu: null, frequency_hz: null },
      };
    }),
  );
}
