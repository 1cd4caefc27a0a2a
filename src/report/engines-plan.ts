/** What a study of engines will do, before it does: engines, sizes with their steps, the order of blocks, and time. */
import type { PlannedStudy } from '../storage/engines/planned.ts';
import { groupsBy } from '../storage/groups.ts';
import { painter } from './color.ts';
import type { EnginesSection } from './engines.ts';
import { tableWithLines } from './engines-cells.ts';
import type { Look } from './engines-formats.ts';
import { leftOutTexts } from './engines-promises.ts';
import { counted, formatDuration, grouped } from './numbers.ts';
import { escapeLine, listText, PLAIN, wrap } from './plain-text.ts';
import { say } from './rules.ts';
import { proseWidth, terminalWriter } from './study-writers.ts';
import { formatBytes } from './units.ts';
import { left, listed, marked, type Writer } from './writer.ts';

export function enginesPlanText(planned: PlannedStudy, { color, width }: Look): string {
  const paint = painter(color);
  const writer = terminalWriter(width, paint);
  const lines = [
    paint('bold', PLAIN.prose(planned.study.title)),
    ...aboutPlan(planned).flatMap((one) => wrap(one, proseWidth(width))),
    ...planSections(planned, writer).flatMap(({ title, parts }) => ['', paint('bold', title), ...parts.flat()]),
  ];
  return `${lines.join('\n')}\n`;
}

function aboutPlan({ study, begun, engines, sizes, small }: PlannedStudy): readonly string[] {
  const [all, remaining] = [totalOf(sizes.map(({ trials }) => trials)), totalOf(sizes.map((one) => one.trials_left))];
  return [
    ...(study.question === null ? [] : [PLAIN.prose(study.question)]),
    say('engines.plan-about', {
      engines: counted(engines.length, 'engine'),
      sizes: counted(sizes.length, 'size'),
      blocks: counted(sizes[0]?.blocks.length ?? 0, 'block'),
      trials: counted(all, 'trial'),
    }),
    ...(begun === null
      ? []
      : [say('engines.plan-begun', { directory: escapeLine(begun), trials: counted(remaining, 'trial') })]),
    ...(small ? [say('engines.small', { option: PLAIN.name('--small') })] : []),
  ];
}

function totalOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function planSections<Part>(planned: PlannedStudy, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const { left_out, problems } = planned;
  const all = [
    ...leftOutTexts(left_out, writer),
    ...problems.map(({ message, remedy }) =>
      say('engines.plan-problem', { message: writer.escaping.prose(message), remedy: writer.escaping.prose(remedy) }),
    ),
  ];
  return [
    enginesSection(planned, writer),
    sizesSection(planned, writer),
    ordersSection(planned, writer),
    { title: 'Time', parts: listed(writer, timeTexts(planned, writer)) },
    ...(all.length === 0 ? [] : [{ title: 'Left out, and what is in the way', parts: listed(writer, all) }]),
  ];
}

function enginesSection<Part>({ engines }: PlannedStudy, writer: Writer<Part>): EnginesSection<Part> {
  const { name, prose } = writer.escaping;
  const rows = engines.map(({ engine, title, variant, log, program, made }) => [
    name(engine.name),
    title === null ? 'a program' : prose(title),
    prose(variant ?? '-'),
    log ? 'yes' : 'no',
    `${prose(program)}${made ? '' : ' (compiled first)'}`,
  ]);
  const columns = ['engine', 'driver', 'variant', 'log', 'program'].map(left);
  return {
    title: 'Engines',
    parts: [
      writer.table('Engines', tableWithLines(columns, rows)),
      ...listed(writer, [say('engines.plan-declared', {})]),
    ],
  };
}

function sizesSection<Part>({ study, sizes }: PlannedStudy, writer: Writer<Part>): EnginesSection<Part> {
  const rows = sizes.map(({ size, user_bytes }) => [
    writer.escaping.name(size.name),
    `${grouped(size.keys)} (${size.load})`,
    `${formatBytes(user_bytes)} (16 + ${size.value_bytes} each)`,
    grouped(size.points),
    `${grouped(size.ranges)} of ${grouped(size.range_length)}`,
    grouped(size.overwrites),
    formatBytes(size.cache_bytes),
    size.memory_limit_bytes === null ? 'no limit' : formatBytes(size.memory_limit_bytes),
  ]);
  const columns = [
    left('size'),
    ...['records (order)', 'data', 'point reads', 'range reads', 'overwrites', 'cache', 'memory'].map(marked),
  ];
  const device =
    study.device === null
      ? say('engines.plan-no-device', {})
      : say('engines.plan-device', { size: formatBytes(study.device.size_bytes) });
  const notes = [say('engines.plan-steps', { timeout: formatDuration(study.timeout_ms / 1000) }), device];
  return {
    title: 'Sizes and steps',
    parts: [writer.table('Sizes and steps', tableWithLines(columns, rows)), ...listed(writer, notes)],
  };
}

/** Sizes with the same order together, which all have: it follows from the seed, the engines and the number of blocks. */
function ordersSection<Part>({ sizes, seed, seed_given }: PlannedStudy, writer: Writer<Part>): EnginesSection<Part> {
  const { name } = writer.escaping;
  const groups = [...groupsBy(sizes, ({ blocks }) => JSON.stringify(blocks)).values()];
  const parts = groups.flatMap((of) => {
    const blocks = of[0]?.blocks ?? [];
    const rows = blocks.map((arms, at) => [String(at + 1), arms.map(name).join('  ')]);
    const where = groups.length === 1 ? '' : ` (${of.map(({ size }) => name(size.name)).join(', ')})`;
    const columns = [marked('block'), left(`engines in their order${where}`)];
    return [
      writer.table(
        'Order',
        tableWithLines(columns, rows, (at) => `block ${at}`),
      ),
    ];
  });
  const about = say('engines.plan-seed', {
    seed: String(seed),
    given: seed_given ? '' : say('engines.plan-drawn', {}),
  });
  return { title: 'Order', parts: [...parts, ...listed(writer, [about])] };
}

/** As far as earlier runs on this machine tell. */
function timeTexts({ sizes, engines }: PlannedStudy, { escaping }: Writer<unknown>): readonly string[] {
  const due = sizes.filter(({ trials_left }) => trials_left > 0);
  if (due.length === 0) return [say('engines.plan-over', {})];
  const times = due.flatMap((one) =>
    one.block_seconds === null || one.as_in === null
      ? []
      : [{ ...one, as_in: one.as_in, seconds: (one.block_seconds * one.trials_left) / engines.length }],
  );
  const known = [...groupsBy(times, ({ as_in }) => as_in)].map(([as_in, of]) =>
    say('engines.plan-time', {
      sizes: listText(of.map(({ size }) => escaping.name(size.name))),
      time: formatDuration(totalOf(of.map(({ seconds }) => seconds))),
      from: escapeLine(as_in),
    }),
  );
  const open = due.filter(({ size }) => times.every((one) => one.size.name !== size.name));
  const names = listText(open.map(({ size }) => escaping.name(size.name)));
  return [...known, ...(open.length === 0 ? [] : [say('engines.plan-time-unknown', { sizes: names })])];
}
