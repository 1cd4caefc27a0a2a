/** Makes the slices of a session from what an operation took, for tests. */
import type { Slices } from '../src/experiment/experiment.ts';
import type { SessionSlices } from '../src/journal/records.ts';

export const SLICES: Slices = {
  slice_ns: 600_000,
  session_ns: 1e9,
  operations: null,
  prelude: 0.25,
  answer_timeout_ms: 60_000,
};

/** One quad: who led, how many operations, and ns of an operation in each of the four slices. */
export interface Quad {
  readonly leader?: 0 | 1;
  readonly operations?: number;
  readonly ns: readonly [number, number, number, number];
}

export function sessionOf(quads: readonly Quad[], changes: Partial<SessionSlices> = {}): SessionSlices {
  const wall_ns = quads.flatMap(({ operations = 16, ns }) => ns.map((each) => each * operations));
  return {
    ready: [
      { unit: 16, most: null },
      { unit: 16, most: null },
    ],
    leader: quads.map(({ leader = 0 }) => leader),
    operations: quads.map(({ operations = 16 }) => operations),
    prelude: quads.map(() => 0),
    gap_ns: quads.map(() => 0),
    wall_ns,
    cpu_ns: wall_ns,
    voluntary_switches: wall_ns.map(() => 0),
    involuntary_switches: wall_ns.map(() => 0),
    counters: null,
    ...changes,
  };
}

/** As the launcher writes it. */
export function fileOf(session: SessionSlices): string {
  const ready = session.ready.map(({ unit, most }, subject) => `ready\t${subject}\t${unit}\t${most ?? '-'}`);
  const rows = session.leader.flatMap((leader, quad) =>
    [leader, 1 - leader, 1 - leader, leader].map((subject, place) => {
      const at = 4 * quad + place;
      const planned = [session.gap_ns[quad], session.prelude[quad], session.operations[quad]];
      const took = [session.wall_ns[at], session.cpu_ns[at]];
      const switches = [session.voluntary_switches[at], session.involuntary_switches[at]];
      const counts = Object.entries(session.counters ?? {}).map(([name, column]) => `${name}=${column[at]}`);
      return [quad + 1, place + 1, subject, ...planned, ...took, ...switches, ...counts].join('\t');
    }),
  );
  return `${['assay-slices 1', ...ready, ...rows].join('\n')}\n`;
}
