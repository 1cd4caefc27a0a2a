/**
 * The shape of the lines of a journal, version 1. A checksum says that a line is as it was written, not who wrote it:
 * what a stranger sent, or another Assay wrote, is looked at before anything relies on it.
 */
import { z } from 'zod';
import { TOOL_NAMES } from '../formats/tools.ts';
import { phasesOf } from '../plan/plan.ts';
import type { LaunchAccount } from '../trial/launch.ts';
import { calibrationSchema } from './calibration-schema.ts';
import type {
  CodeComparison,
  EndReason,
  Imported,
  JournalRecord,
  Notice,
  ObjectComparison,
  PreparedRecord,
  RunRecord,
  SessionRecord,
  SourceDiff,
  TrialFailure,
  TrialLine,
} from './records.ts';

import {
  count,
  duration,
  experimentSchema,
  machineFactsSchema,
  phase,
  planSchema,
  schemaOf,
  unixMs,
} from './settled-schema.ts';

const rate = z.number().min(0).nullable();
const stream = z.enum(['stdout', 'stderr']);
const bytes = z.number().min(0);

const rawFile = z.object({ path: z.string(), bytes, sha256: z.string() });
const notice = schemaOf<Notice>()(z.object({ code: z.string(), message: z.string(), remedy: z.string() }));

const imported = schemaOf<Imported>()(
  z.object({
    tool: z.enum(TOOL_NAMES),
    files: z.array(rawFile.extend({ name: z.string(), arms: z.array(z.string()) })),
    sides: z.array(z.object({ arm: z.string(), result: z.string().nullable() })),
    order: z.enum(['shown', 'said', 'unknown']),
    unit: z.enum(['process', 'file', 'shared']),
    warnings: z.array(notice),
  }),
);

const runRecord: z.ZodType<RunRecord> = z
  .object({
    kind: z.literal('run'),
    version: z.int(),
    assay: z.string(),
    versions: z.record(z.string(), z.string()),
    started_unix_ms: unixMs,
    source: z.object({ name: z.string(), text: z.string(), sha256: z.string() }),
    experiment: experimentSchema,
    experiment_id: z.string(),
    plan: planSchema,
    // Not in journals of 0.1.0.
    imported: imported.nullable().default(null),
    machine: machineFactsSchema.nullable(),
    // Not in journals of 0.1.0.
    calibration: calibrationSchema.nullable().default(null),
    earlier: z.array(z.object({ name: z.string(), started_unix_ms: unixMs, finished: z.boolean() })),
  })
  .check(({ value, issues }) => {
    const names = new Set(value.experiment.arms.map(({ name }) => name));
    const unknown = (path: string[], name: string) =>
      issues.push({ code: 'custom', path, input: name, message: 'there is no arm of this name' });
    if (!names.has(value.experiment.reference)) unknown(['experiment', 'reference'], value.experiment.reference);
    const planned = value.plan.phases.flatMap(({ blocks }) => blocks.flat());
    const stray = planned.find((name) => !names.has(name));
    if (stray !== undefined) unknown(['plan', 'phases'], stray);
    const { design, sides, arms } = value.experiment;
    const named = [
      ...design.arms,
      ...sides.flatMap((side) => [...side.arms, ...Object.keys(side.against), ...Object.values(side.against)]),
      ...arms.flatMap(({ source }) => (source.kind === 'same' ? [source.of] : [])),
    ];
    const other = named.find((name) => !names.has(name));
    if (other !== undefined) unknown(['experiment', 'design'], other);
    if (!design.arms.includes(value.experiment.reference))
      unknown(['experiment', 'reference'], value.experiment.reference);
    // What was measured elsewhere has nothing that only a run has, and what was run has all of it.
    if (
      (value.imported !== null) !== (value.machine === null) ||
      (value.imported !== null) !== (value.plan.seed === null)
    ) {
      const message = 'what was imported has neither machine nor seed, and what was run has both';
      issues.push({ code: 'custom', path: ['imported'], input: value.imported, message });
    }
    const phases = phasesOf(value.experiment);
    const twice = phases.find((name, at) => phases.indexOf(name) < at);
    if (twice !== undefined) {
      issues.push({
        code: 'custom',
        path: ['experiment', 'sides'],
        input: twice,
        message: 'two phases have this name',
      });
    }
  });

const functionSizes = z.object({ name: z.string(), reference_bytes: bytes.nullable(), arm_bytes: bytes.nullable() });

const codeComparison = schemaOf<CodeComparison>()(
  z.object({
    arm: z.string(),
    reference: z.string(),
    file: z.enum(['driver', 'library', 'executable']),
    arm_path: z.string(),
    reference_path: z.string(),
    same_file: z.boolean(),
    same_text: z.boolean().nullable(),
    same_data: z.boolean(),
    symbols: z.enum(['all', 'exported', 'none']),
    functions: z.object({ same: count, differ: count, only_in_arm: count, only_in_reference: count }).nullable(),
    differing: z.array(functionSizes),
    rest: count,
    named: z.array(functionSizes.extend({ same: z.boolean() })),
    disassemblies: z.array(z.string()),
  }),
);

const objectComparison = schemaOf<ObjectComparison>()(
  z.object({
    ...{ arm: z.string(), reference: z.string(), arm_path: z.string(), reference_path: z.string() },
    ...{ same: count, differ: count, only_in_arm: count, only_in_reference: count },
    unequal: z.array(z.object({ name: z.string(), where: z.enum(['both', 'arm', 'reference']) })),
    ...{ rest: count, as_bytes: count },
  }),
);

const sides = { arm: z.string(), reference: z.string() };
const sourceDiff = schemaOf<SourceDiff>()(
  z.discriminatedUnion('kind', [
    z.object({
      ...{ kind: z.literal('diff'), ...sides, path: z.string(), bytes: count, kept_bytes: count },
      ...{ files: count, lines_added: count, lines_removed: count },
    }),
    z.object({ kind: z.literal('same'), ...sides }),
    z.object({ kind: z.literal('none'), ...sides, why: z.string() }),
  ]),
);

const preparedRecord = schemaOf<PreparedRecord>()(
  z.object({
    kind: z.literal('prepared'),
    arms: z.array(
      z.object({
        arm: z.string(),
        // Not in journals of 0.1.0.
        build: count.default(0),
        command: z.array(z.string()),
        commands: z.record(z.string(), z.array(z.string())).default({}),
        files: z.array(z.object({ path: z.string(), sha256: z.string(), bytes })),
        provenance: z.record(z.string(), z.string()),
        // Not in journals of 0.1.0.
        warnings: z.array(notice).default([]),
      }),
    ),
    // Not in journals of 0.1.0.
    attribution: z.array(codeComparison).default([]),
    objects: z.array(objectComparison).default([]),
    diffs: z.array(sourceDiff).default([]),
    kept: z.array(rawFile).nullable().default(null),
    launcher: z.object({
      kind: z.enum(['native', 'portable']),
      limitations: z.array(z.object({ message: z.string(), remedy: z.string() })),
      overhead_ns: duration,
    }),
    // Not in journals of 0.1.0.
    counting_tool: z.string().nullable().default(null),
  }),
);

const accounting = z.object({ method: z.string(), resolution: z.number().min(0), scope: z.string() });

const counted = { events: z.record(z.string(), z.number().min(0)), enabled_ns: duration, running_ns: duration };
const kind = z.enum(['hardware', 'software']);
const unsupported = z.string();
const scope = z.enum(['region', 'process']);

const account = z.object({
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('exited'), code: z.int() }),
    z.object({ kind: z.literal('signalled'), signal: z.string() }),
    z.object({ kind: z.literal('timeout') }),
    z.object({ kind: z.literal('output_limit'), stream }),
    z.object({ kind: z.literal('not_started'), code: z.string(), step: z.string() }),
    z.object({ kind: z.literal('cancelled') }),
    z.object({ kind: z.literal('abandoned') }),
  ]),
  wall_ns: duration,
  cpu_ns: duration.nullable(),
  max_rss_bytes: bytes.nullable(),
  leftovers: count,
  // Not in journals of 0.1.0.
  counters: z
    .union([z.object({ kind, unsupported }), z.object({ kind, ...counted })])
    .nullable()
    .default(null),
  accounting: z.object({ wall: accounting, cpu: accounting, max_rss: accounting }),
  started_boot_ns: duration,
  ended_boot_ns: duration,
  started_unix_ms: unixMs,
  settled_ns: duration,
});

const failure = schemaOf<TrialFailure>()(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('launch'), message: z.string() }),
    z.object({ kind: z.literal('timeout'), timeout_ms: duration }),
    z.object({ kind: z.literal('signal'), signal: z.string() }),
    z.object({ kind: z.literal('output_limit'), stream, limit_bytes: bytes }),
    z.object({ kind: z.literal('metric'), metric: z.string(), message: z.string() }),
    z.object({ kind: z.literal('check'), check: z.string(), message: z.string() }),
    z.object({ kind: z.literal('counting'), message: z.string() }),
    z.object({ kind: z.literal('slices'), message: z.string() }),
  ]),
);

/** Of a trial's line. */
export const trialLine = schemaOf<TrialLine>()(
  z.object({
    kind: z.literal('trial'),
    phase,
    block: count,
    position: count,
    arm: z.string(),
    attempt: count,
    account: account.nullable(),
    metrics: z.record(z.string(), z.number().nullable()),
    // Not in journals of 0.1.0.
    operations: z.record(z.string(), count.min(1)).default({}),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
    // Not in journals of 0.1.0.
    counted: z
      .object({
        instructions: count,
        operations: z.number().positive().nullable(),
        functions: z.array(z.object({ name: z.string(), instructions: count })),
        rest: count,
      })
      .nullable()
      .default(null),
    wording: z
      .object({ timed: z.string().nullable(), not_a_claim_about: z.array(z.string()) })
      .nullable()
      .default(null),
    // Not in journals of 0.1.0.
    reader_warnings: z.array(notice).default([]),
    failure: failure.nullable(),
    last_words: z.string().nullable(),
    noise: z.object({ steal: rate, other_cpu: rate, frequency_hz: rate }),
    // Not in journals of 0.1.0.
    counters: z
      .union([z.object({ kind, scope, unsupported }), z.object({ kind, scope, ...counted })])
      .nullable()
      .default(null),
    state: z
      .object({
        load_1m: rate,
        cpu_pressure: rate,
        busiest: z.array(z.object({ name: z.string(), cpu: z.number().min(0) })),
      })
      .nullable(),
    raw: z.array(rawFile),
  }),
);

/** Four values of each quad, and one. */
function sessionFault(slices: NonNullable<SessionRecord['slices']>): string | null {
  const quads = slices.leader.length;
  const { operations, prelude, gap_ns, wall_ns, cpu_ns, voluntary_switches, involuntary_switches, counters } = slices;
  const each = [wall_ns, cpu_ns, voluntary_switches, involuntary_switches, ...Object.values(counters ?? {})];
  const isWhole =
    [operations, prelude, gap_ns].every(({ length }) => length === quads) &&
    each.every(({ length }) => length === 4 * quads);
  return isWhole ? null : 'the columns of its slices are not equally long';
}

const driverReady = z.object({ unit: count.min(1), most: count.nullable() });

const sessionRecord = schemaOf<SessionRecord>()(
  z.object({
    kind: z.literal('session'),
    trials: z.tuple([trialLine, trialLine]),
    slices: z
      .object({
        ready: z.tuple([driverReady, driverReady]),
        leader: z.array(z.union([z.literal(0), z.literal(1)])),
        operations: z.array(count.min(1)),
        prelude: z.array(count),
        gap_ns: z.array(duration),
        wall_ns: z.array(duration),
        cpu_ns: z.array(duration),
        voluntary_switches: z.array(count),
        involuntary_switches: z.array(count),
        counters: z.record(z.string(), z.array(z.number().min(0))).nullable(),
      })
      .check(({ value, issues }) => {
        const message = sessionFault(value);
        if (message !== null) issues.push({ code: 'custom', input: null, message });
      })
      .nullable(),
  }),
);

const endReason = schemaOf<EndReason>()(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('complete') }),
    z.object({ kind: z.literal('trial_failed') }),
    z.object({ kind: z.literal('changed'), arm: z.string(), path: z.string() }),
    z.object({ kind: z.literal('disk_space'), message: z.string() }),
    z.object({ kind: z.literal('signal'), signal: z.string() }),
  ]),
);

const RECORDS: Readonly<Record<JournalRecord['kind'], z.ZodType<JournalRecord>>> = {
  run: runRecord,
  prepared: preparedRecord,
  trial: trialLine,
  session: sessionRecord,
  interrupted: z.object({
    kind: z.literal('interrupted'),
    phase,
    block: count,
    attempt: count,
    reason: z.enum(['resumed', 'gap']),
  }),
  resumed: z.object({ kind: z.literal('resumed'), unix_ms: unixMs, assay: z.string(), dropped_bytes: count }),
  end: z.object({ kind: z.literal('end'), unix_ms: unixMs, reason: endReason }),
};

const anyRecord = z.object({ kind: z.enum(Object.keys(RECORDS) as [JournalRecord['kind']]) });

/** What the launcher accounted for, as a trial's account.json has it; null where it is nothing of the kind. */
export function checkAccount(value: unknown): LaunchAccount | null {
  const checked = account.safeParse(value);
  return checked.success ? checked.data : null;
}

const sessionEnd = z.object({
  fault: z
    .object({
      subject: z.union([z.literal(0), z.literal(1)]),
      kind: z.enum(['stalled', 'ended', 'garbage', 'unasked', 'miscounted', 'busy', 'timeless']),
      slice: count,
      answer: z.string(),
    })
    .nullable(),
  asked: count.nullable(),
});

/** How a session ended and how many slices it was to have, as account.json of its halves has it; null where it is nothing of the kind. */
export function checkSessionEnd(value: unknown): z.infer<typeof sessionEnd> | null {
  const checked = sessionEnd.safeParse(value);
  return checked.success ? checked.data : null;
}

/** A record of this version of the format, without fields that it does not have; or where it differs from one. */
export function checkRecord(
  value: unknown,
): { readonly ok: true; readonly record: JournalRecord } | { readonly ok: false; readonly problem: string } {
  const kind = anyRecord.safeParse(value);
  if (!kind.success) return { ok: false, problem: 'there is no such kind of record' };
  const checked = RECORDS[kind.data.kind].safeParse(value);
  if (checked.success) return { ok: true, record: checked.data };
  const issue = checked.error.issues[0];
  const path = issue?.path.map((key) => `/${String(key)}`).join('') ?? '';
  return { ok: false, problem: `${path} of the ${kind.data.kind} record: ${issue?.message ?? 'not as expected'}` };
}
