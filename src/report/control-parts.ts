/** The section on controls: what must not differ, and whether it did. */
import type { ControlResult, Interval } from '../analysis/analysis.ts';
import { pairNoun } from '../analysis/wording.ts';
import type { Metric } from '../experiment/experiment.ts';
import type { ReportInput } from './input.ts';
import { hasOtherData } from './machine-code.ts';
import {
  changeScale,
  counted,
  formatInterval,
  formatLevel,
  formatNumber,
  formatSigned,
  PERCENT,
  percentScale,
  type Scale,
} from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';
import { unitFor } from './units.ts';
import { armsBeside, armsSentence } from './workload.ts';
import { left, listed, number, numbers, type Table, type Writer } from './writer.ts';

const WHAT = {
  same: 'control.what-same',
  rebuild: 'control.what-rebuild',
  uncounted: 'control.what-uncounted',
  unchanged: 'control.what-unchanged',
  metric: 'control.what-metric',
} as const satisfies Record<ControlResult['kind'], string>;

/** Nothing where the experiment has no control. */
export function controlParts<Part>(input: ReportInput, writer: Writer<Part>): readonly Part[] {
  const { controls } = input.analysis;
  if (controls.length === 0) return [];
  const { escaping } = writer;
  const sentences = controls.flatMap((control) => sentencesOf(control, input, escaping));
  const sliced = input.journal.run.experiment.design.slices !== null;
  const tested = controls.some(({ p_value }) => p_value !== null);
  const arms = armsSentence(input, armsBeside(input).controls, escaping);
  return [
    ...(arms === null ? [] : [writer.text(arms)]),
    writer.table('Controls', tableOf(controls, input, escaping)),
    ...listed(writer, [
      ...new Set(sentences),
      ...(controls.some(({ floor }) => floor !== null) ? [say('control.one-layout', {})] : []),
      ...(controls.some(({ kind }) => kind !== 'metric')
        ? [say('control.apart', { blocks: sliced ? 'sessions' : 'pairs or blocks' })]
        : []),
      ...(tested ? [say('control.rule', {})] : []),
    ]),
  ];
}

function tableOf(controls: readonly ControlResult[], input: ReportInput, escaping: Escaping): Table {
  const rows = controls.map((control) => {
    const shown = shownOf(control);
    const scale = scaleOf(control, shown, input, escaping);
    return [
      escaping.name(control.name),
      say(WHAT[control.kind], {}),
      `${escaping.name(control.arm)} against ${escaping.name(control.reference)}`,
      escaping.name(control.metric),
      ...(shown === null
        ? ['-', '-', '-']
        : [
            formatSigned(shown.change, scale),
            shown.interval === null ? 'exact' : formatInterval(shown.interval, scale),
            shown.interval === null ? '' : formatLevel(shown.interval_level),
          ]),
      `${control.pairs} of ${control.planned_pairs}`,
      cellOf(control, scale),
    ];
  });
  const noun = pairNoun(input.journal.run.experiment.design);
  const columns = [
    ...[left('control'), left('kind'), left('what'), left('metric'), number('change'), numbers('interval', 'interval')],
    ...[number('level'), numbers(`${noun}s`, 'of'), left('outcome')],
  ];
  const lines = rows.map(([name = '', kind, what, metric, change, interval, level, pairs, outcome]) => {
    const at = level === '' || level === '-' ? '' : ` at ${level}`;
    return `${name} (${kind}, ${what}), ${metric}: ${change} ${interval}${at}, ${pairs} ${noun}s: ${outcome}`;
  });
  return { columns, rows, lines };
}

interface Shown {
  readonly change: number;
  readonly interval: Interval | null;
  readonly interval_level: number;
}

/** Of a control without counters the difference of the two effects: it is what was tested. */
function shownOf({ difference, effect }: ControlResult): Shown | null {
  return difference ?? effect;
}

function scaleOf(control: ControlResult, shown: Shown | null, input: ReportInput, escaping: Escaping): Scale {
  const { change, interval } = shown ?? { change: 0, interval: null };
  if (control.metric_kind === 'ratio') return percentScale(change, interval);
  const largest = Math.max(...[change, ...(interval ?? [])].map(Math.abs));
  return changeScale(change, interval, unitFor(control.unit, largest, perOf(control, input), escaping.prose));
}

function perOf({ metric }: ControlResult, { journal }: ReportInput): Metric['per'] {
  return journal.run.experiment.metrics.find(({ name }) => name === metric)?.per ?? null;
}

function bound(control: ControlResult, value: number, scale: Scale): string {
  const { factor, suffix } = control.metric_kind === 'ratio' ? PERCENT : scale;
  return formatNumber(value * factor) + suffix;
}

function cellOf(control: ControlResult, scale: Scale): string {
  switch (control.outcome) {
    case 'passed':
      return say('control.cell-passed', {});
    case 'failed':
      return say('control.cell-failed', {});
    case 'uninformative':
      return say('control.cell-uninformative', {});
    case 'floor':
      return say('control.cell-floor', { floor: bound(control, control.floor ?? 0, scale) });
    case 'none':
      return isShownOnly(control) ? say('control.cell-shown', {}) : say('control.cell-none', {});
  }
}

function isShownOnly({ outcome, primary, tested, effect }: ControlResult): boolean {
  return outcome === 'none' && effect !== null && !primary && !tested;
}

function sentencesOf(control: ControlResult, input: ReportInput, escaping: Escaping): readonly string[] {
  const shown = shownOf(control);
  const scale = scaleOf(control, shown, input, escaping);
  const names = {
    control: escaping.name(control.name),
    metric: escaping.name(control.metric),
    arm: escaping.name(control.arm),
    reference: escaping.name(control.reference),
  };
  const reason = escaping.prose(control.reason ?? '').replace(/\.$/, '');
  const told: string[] = [];
  if (control.outcome === 'failed') {
    told.push(say(control.kind === 'uncounted' ? 'control.failed-uncounted' : 'control.failed', names));
  }
  if (control.outcome === 'uninformative') told.push(say('control.uninformative', { ...names, reason }));
  if (control.outcome === 'none' && (control.primary || control.tested))
    told.push(say('control.none', { ...names, reason }));
  if (control.floor !== null && control.primary) {
    told.push(say('control.floor', { ...names, floor: bound(control, control.floor, scale) }));
  }
  if (control.same_code) {
    told.push(say(hasOtherData(input, control) ? 'control.not-measured-text' : 'control.not-measured', names));
  }
  if (control.kind === 'uncounted' && control.primary) told.push(...uncountedOf(control, input, names, escaping));
  return told;
}

interface UncountedEffect {
  readonly change: string;
  readonly interval: string;
  readonly agreeing: string;
  readonly pairs: string;
}

function effectText(shown: Shown, control: ControlResult, input: ReportInput, escaping: Escaping) {
  const scale = scaleOf(control, shown, input, escaping);
  return {
    change: formatSigned(shown.change, scale),
    interval: shown.interval === null ? 'exactly' : formatInterval(shown.interval, scale),
  };
}

/** The effect without counters; null for another control, or where there is none. */
export function uncountedEffect(
  control: ControlResult,
  input: ReportInput,
  escaping: Escaping,
): UncountedEffect | null {
  const { kind, effect, pairs } = control;
  if (kind !== 'uncounted' || effect === null) return null;
  return {
    ...effectText(effect, control, input, escaping),
    agreeing: String(effect.change > 0 ? effect.directions.up : effect.directions.down),
    pairs: counted(pairs, pairNoun(input.journal.run.experiment.design)),
  };
}

/** The effect without counters beside that with them. */
function uncountedOf(
  control: ControlResult,
  input: ReportInput,
  names: { readonly metric: string; readonly arm: string; readonly reference: string },
  escaping: Escaping,
): readonly string[] {
  const without = uncountedEffect(control, input, escaping);
  const confirmed = input.analysis.comparisons.find(
    ({ metric, arm, reference }) => metric === control.metric && arm === control.arm && reference === control.reference,
  )?.effect;
  if (without === null || confirmed == null) return [];
  const { change, interval } = effectText(confirmed, control, input, escaping);
  return [say('control.uncounted', { ...names, ...without, counted: `${change} ${interval}` })];
}
