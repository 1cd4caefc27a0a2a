/** From the records of a journal, one after the other, to its meaning. */
import type { Plan, PlannedPhase } from '../plan/plan.ts';
import type {
  EndRecord,
  InterruptedRecord,
  Journal,
  JournalRecord,
  PreparedRecord,
  ResumedRecord,
  RunRecord,
  SessionRecord,
  TrialLine,
  TrialRecord,
} from './records.ts';

export interface Assembled {
  readonly journal: Journal;
  /** How many trials were on record each time the run was resumed. */
  readonly resumed_at: readonly number[];
  /** Where records stand in an order in which Assay writes none; null where all are in order. */
  readonly order_fault: string | null;
}

type Kind = JournalRecord['kind'];

interface JournalBuilder {
  /** A line that holds no trial. */
  take(record: Exclude<JournalRecord, TrialLine | SessionRecord>): void;
  /** The trials of one line. */
  takeTrials(kind: 'trial' | 'session', trials: readonly TrialRecord[]): void;
  lines(): number;
  hasTrials(): boolean;
  /** Null where the first line is no run. */
  finish(): Assembled | null;
}

export function openJournal(): JournalBuilder {
  const trials: TrialRecord[] = [];
  const interruptions: InterruptedRecord[] = [];
  const resumptions: ResumedRecord[] = [];
  const resumed_at: number[] = [];
  let run: RunRecord | null = null;
  let prepared: PreparedRecord | null = null;
  let end: EndRecord | null = null;
  let isImport = false;
  let lines = 0;
  let last: Kind | null = null;
  let order_fault: string | null = null;

  function note(kind: Kind): void {
    lines += 1;
    order_fault ??= orderFault(kind);
    last = kind;
  }

  /** One run, first; arms prepared once, before any trial; after an end nothing until the run is resumed. */
  function orderFault(kind: Kind): string | null {
    const line = `line ${lines}`;
    if (lines > 1 && kind === 'run') return `${line} is a second run record`;
    if (last === 'end' && kind !== 'resumed') {
      return `${line} (${kind}) follows the end of the run, which was not resumed`;
    }
    if (prepared !== null && kind === 'prepared') return `${line} is a second record of prepared arms`;
    if (isImport)
      return kind === 'run' || kind === 'trial' || kind === 'end' ? null : `${line} is a ${kind} of what was imported`;
    if (prepared === null && (kind === 'trial' || kind === 'session')) {
      return `${line} is a ${kind} before arms were prepared`;
    }
    return null;
  }

  return {
    take(record) {
      note(record.kind);
      if (record.kind === 'run' && lines === 1) isImport = record.imported !== null;
      if (record.kind === 'run') run = lines === 1 ? { ...record, plan: withSharedOrders(record.plan) } : run;
      else if (record.kind === 'interrupted') interruptions.push(record);
      else if (record.kind === 'prepared') prepared ??= record;
      else if (record.kind === 'end') end = record;
      else {
        resumptions.push(record);
        resumed_at.push(trials.length);
        // A resumed run has not ended until it says so again.
        end = null;
      }
    },
    takeTrials(kind, found) {
      note(kind);
      for (const trial of found) trials.push(trial);
    },
    lines: () => lines,
    hasTrials: () => trials.length > 0,
    finish() {
      if (run === null) return null;
      return { journal: { run, prepared, trials, interruptions, resumptions, end }, resumed_at, order_fault };
    },
  };
}

/** Blocks of one order share its list: there may be half a million of them, and two orders. */
function withSharedOrders(plan: Plan): Plan {
  const orders = new Map<string, PlannedPhase['blocks'][number]>();
  const shared = (order: PlannedPhase['blocks'][number]) => {
    const key = JSON.stringify(order);
    const known = orders.get(key) ?? order;
    orders.set(key, known);
    return known;
  };
  return { ...plan, phases: plan.phases.map(({ phase, blocks }) => ({ phase, blocks: blocks.map(shared) })) };
}
