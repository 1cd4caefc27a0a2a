/**
 * Whether a machine is fit to measure on: each fact judged ok, warn or bad, with how to mend it. A function of the facts
 * alone. `bad`: numbers from here would be wrong or could not be had; `warn`: they would be noisier, or say less.
 */
import { PROBE_PLAN, type ProbeSpread } from '../analysis/noise-probe.ts';
import { counted, formatNumber, formatShare } from '../report/numbers.ts';
import { formatQuantity } from '../report/units.ts';
import {
  judgeBusy,
  judgeCounters,
  judgeCpus,
  judgeFrequency,
  judgeGovernor,
  judgeMemoryLimit,
  judgeNuma,
  judgeQuota,
  judgeSmt,
  judgeSteal,
  judgeThrottling,
  judgeTurbo,
  judgeVirtual,
} from './judge-processor.ts';
import {
  judgeAslr,
  judgeClock,
  judgeDevice,
  judgeFileSystem,
  judgeFreeSpace,
  judgeHugePages,
  judgeKernel,
  judgeLibrary,
  judgeMemory,
  judgeNode,
  judgeSwap,
  judgeTool,
} from './judge-system.ts';
import { graded, type Judge, type Judgement, type Observed, warn } from './judgement.ts';
import type { TrialNoise } from './machine.ts';

export interface JudgedFact extends Judgement {
  readonly id: string;
  readonly group: string;
  readonly name: string;
}

/** Smallest effect that the noise probe says could be found. */
const DETECTABLE = { warn: 0.01, bad: 0.1 };

export interface NoiseProbe extends ProbeSpread {
  /** How loops were timed: as trials are, by the native launcher; or by themselves, in one process of Node.js. */
  readonly method: 'launcher' | 'node';
  /** The CPU that the loops were pinned to; null: they were not. */
  readonly cpu: number | null;
  /** Rates while the probe ran. */
  readonly noise: TrialNoise;
}

interface Row {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly judge: Judge;
}

/** In the order in which they are shown. */
export const ROWS: readonly Row[] = [
  { group: 'Processor', id: 'cpu', name: 'CPU', judge: judgeCpus },
  { group: 'Processor', id: 'smt', name: 'SMT siblings', judge: judgeSmt },
  { group: 'Processor', id: 'governor', name: 'frequency governor', judge: judgeGovernor },
  { group: 'Processor', id: 'turbo', name: 'turbo', judge: judgeTurbo },
  { group: 'Processor', id: 'frequency', name: 'frequency range', judge: judgeFrequency },
  { group: 'Processor', id: 'numa', name: 'NUMA nodes', judge: judgeNuma },
  { group: 'Processor', id: 'hardware-counters', name: 'hardware counters', judge: judgeCounters('hardware') },
  { group: 'Processor', id: 'software-counters', name: 'software counters', judge: judgeCounters('software') },
  { group: 'Shared with others', id: 'virtual', name: 'virtual machine', judge: judgeVirtual },
  { group: 'Shared with others', id: 'steal', name: 'steal', judge: judgeSteal },
  { group: 'Shared with others', id: 'cpu-quota', name: 'CPU quota', judge: judgeQuota },
  { group: 'Shared with others', id: 'throttling', name: 'throttling', judge: judgeThrottling },
  { group: 'Shared with others', id: 'memory-limit', name: 'memory limit', judge: judgeMemoryLimit },
  { group: 'Shared with others', id: 'busy', name: 'busy processes', judge: judgeBusy },
  { group: 'Memory', id: 'memory', name: 'memory', judge: judgeMemory },
  { group: 'Memory', id: 'swap', name: 'swap', judge: judgeSwap },
  { group: 'Memory', id: 'huge-pages', name: 'huge pages', judge: judgeHugePages },
  { group: 'Memory', id: 'aslr', name: 'random addresses', judge: judgeAslr },
  { group: 'Storage', id: 'file-system', name: 'file system', judge: judgeFileSystem },
  { group: 'Storage', id: 'device', name: 'device', judge: judgeDevice },
  { group: 'Storage', id: 'free-space', name: 'free space', judge: judgeFreeSpace },
  { group: 'Software', id: 'kernel', name: 'kernel', judge: judgeKernel },
  { group: 'Software', id: 'clock', name: 'clock', judge: judgeClock },
  { group: 'Software', id: 'c-library', name: 'C library', judge: judgeLibrary },
  { group: 'Software', id: 'c-compiler', name: 'C compiler', judge: judgeTool('c_compiler') },
  { group: 'Software', id: 'cxx-compiler', name: 'C++ compiler', judge: judgeTool('cxx_compiler') },
  { group: 'Software', id: 'valgrind', name: 'valgrind', judge: judgeTool('valgrind') },
  { group: 'Software', id: 'node', name: 'Node.js', judge: judgeNode },
];

/** Every fact with its judgement, in groups. */
export function judge(observed: Observed): readonly JudgedFact[] {
  return ROWS.flatMap(({ judge: judged, ...row }) => {
    const judgement = judged(observed);
    return judgement === null ? [] : [{ ...row, ...judgement }];
  });
}

/** What the noise probe showed; null: nothing, since it could not run. */
export function judgeProbe(probe: NoiseProbe | null): JudgedFact {
  const row = { id: 'noise', group: 'Noise', name: 'noise probe' };
  if (probe === null) {
    const remedy =
      'Try again; where it fails each time, look whether the directory for temporary files can be written.';
    return { ...row, ...warn('no result: too few loops ran', remedy) };
  }
  const { detectable, pairs, loop_ns, cpu, method, pairs_for_one_percent: needed } = probe;
  const found =
    `${twoDigits(detectable)} is the smallest effect that ${PROBE_PLAN.pairs} pairs of a 0.1 s loop would find ` +
    `with ${formatShare(PROBE_PLAN.power)} power, layout and input/output not included (by ${counted(pairs, 'pair')}, ` +
    `${cpu === null ? 'not pinned' : `pinned to CPU ${cpu}`}, timed ${method === 'launcher' ? 'as trials are' : 'within Node.js'}, ${formatQuantity(loop_ns, 'ns')} each${meanwhile(probe)})`;
  const more = needed === null ? 'no number of pairs would do' : `it would take ${counted(needed, 'pair')} of it`;
  const remedy = `Stop what else runs, or measure where less does; to find 1 % here ${more}.`;
  return { ...row, ...graded(detectable, DETECTABLE, found, remedy) };
}

function meanwhile({ noise: { steal, other_cpu } }: NoiseProbe): string {
  const parts = [
    ...(steal === null ? [] : [`steal ${twoDigits(steal)} of a CPU`]),
    ...(other_cpu === null ? [] : [`${formatNumber(other_cpu, 2)} CPUs of other work`]),
  ];
  return parts.length === 0 ? '' : `; meanwhile ${parts.join(' and ')}`;
}

function twoDigits(share: number): string {
  return `${formatNumber(100 * share, 2)} %`;
}
