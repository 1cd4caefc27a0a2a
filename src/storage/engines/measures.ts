/** What a driver of the study reports of each trial, and what must hold in it. */

const STEPS = ['load', 'point', 'range', 'overwrite'] as const;
export type Step = (typeof STEPS)[number];
const WRITING = ['load', 'overwrite'] as const;

interface StudyMetric {
  readonly name: string;
  readonly unit: string;
  readonly optional?: true;
}

function ofStep(step: Step): readonly StudyMetric[] {
  return [
    { name: `${step}_ns`, unit: 'ns' },
    { name: `${step}_cpu_ns`, unit: 'ns' },
    { name: `${step}_p50_ns`, unit: 'ns', optional: true },
    { name: `${step}_p99_ns`, unit: 'ns', optional: true },
    { name: `${step}_operations`, unit: 'operations' },
    { name: `${step}_read_bytes`, unit: 'bytes', optional: true },
    { name: `${step}_reads`, unit: 'reads', optional: true },
    { name: `${step}_written_bytes`, unit: 'bytes', optional: true },
  ];
}

function ofWrites(step: (typeof WRITING)[number]): readonly StudyMetric[] {
  return [
    { name: `${step}_settle_ns`, unit: 'ns' },
    { name: `${step}_settle_cpu_ns`, unit: 'ns', optional: true },
    { name: `${step}_user_bytes`, unit: 'bytes' },
    { name: `${step}_space_bytes`, unit: 'bytes' },
  ];
}

/** As drivers report them, of a whole step. The first is the primary one of the run, which the study does not look at. */
export const METRICS: readonly StudyMetric[] = [
  ...STEPS.flatMap(ofStep),
  ...WRITING.flatMap(ofWrites),
  { name: 'peak_resident_bytes', unit: 'bytes', optional: true },
  { name: 'peak_cgroup_bytes', unit: 'bytes', optional: true },
];

/** Every record is read back after load and overwrites; all engines are given the same keys in the same order, and do as much. */
export const CHECKS = [
  { driver: ['loaded', 'read_back', 'settled', 'point', 'range', 'overwritten'] },
  ...STEPS.flatMap((step) => [{ equal: `/facts/${step}_sequence` }, { equal: `/metrics/${step}_operations` }]),
  ...WRITING.map((step) => ({ equal: `/metrics/${step}_user_bytes` })),
];
