/** What is known of a machine: facts that hold for a run, and how busy it was around a trial. */
import type { CounterKind } from '../experiment/counters.ts';

export interface MachineFacts {
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  /** As the system calls itself, and its C library; null where it does not say, and in journals of before. */
  readonly distribution: string | null;
  readonly c_library: string | null;
  readonly cpu_model: string;
  readonly cpus: number;
  /** Of these CPUs, which may share a core; null where the system does not say, and in journals of before. */
  readonly cores: number | null;
  readonly sockets: number | null;
  readonly memory_bytes: number;
  readonly virtual: boolean | null;
  readonly governor: string | null;
  readonly turbo: boolean | null;
  readonly node: string;
  /** A digest, so that a run is not resumed elsewhere; says nothing about who owns the machine. */
  readonly machine_id: string;
  readonly boot_id: string | null;
  /** Of the directory in which trials run. */
  readonly file_system: string | null;
  /** What that lies on; null where the system does not say, and in journals of before. */
  readonly storage: StorageFacts | null;
  // What follows is null where the system does not say, and in journals of before.
  /** What this user may still write to that file system. */
  readonly free_bytes: number | null;
  /** CPUs that this process may run on, and those that the scheduler leaves alone, as the kernel lists them: `0-3,8`. */
  readonly allowed_cpus: string | null;
  readonly isolated_cpus: string | null;
  /** CPUs that share a core, a list for each core with more than one. */
  readonly smt_siblings: readonly string[] | null;
  readonly frequency: FrequencyRange | null;
  /** Share of the CPU time that this machine wanted and its hypervisor gave to others, since it started. */
  readonly steal: number | null;
  readonly control_group: ControlGroup | null;
  /** The CPUs of each NUMA node, as lists. */
  readonly numa_nodes: readonly string[] | null;
  readonly memory_available_bytes: number | null;
  readonly swap: Swap | null;
  readonly huge_pages: HugePages | null;
  /** kernel.randomize_va_space: 0 not at all, 1 without the heap, 2 in full. */
  readonly aslr: number | null;
  /** What the kernel reads the time from: `tsc`. */
  readonly clock_source: string | null;
  readonly tools: Tools | null;
  readonly counters: Readonly<Record<CounterKind, CounterAvailability>> | null;
  /** While the facts were gathered: other processes that used a tenth of a CPU or more, and CPUs that all others kept busy. */
  readonly busy_processes: number | null;
  readonly other_cpu: number | null;
}

/** What a file system lies on: a `block` device, memory, other directories (`overlay`), another machine, or what is not known. */
export const STORAGE_SOURCES = ['block', 'memory', 'overlay', 'remote', 'other'] as const;
/** What may lie between a file system and its disks. */
export const STORAGE_LAYERS = ['encryption', 'lvm', 'multipath', 'raid', 'cache', 'mapper'] as const;
/** How the kernel drives a disk. */
export const DISK_KINDS = ['nvme', 'scsi', 'virtio', 'xen', 'mmc', 'pmem', 'loop', 'zram', 'network', 'other'] as const;

/** The storage below a directory. Serial numbers, paths and names that a person chose are not in it. */
export interface StorageFacts {
  readonly source: (typeof STORAGE_SOURCES)[number];
  /** From the file system down. */
  readonly layers: readonly (typeof STORAGE_LAYERS)[number][];
  /** Whole disks, not their partitions; several below RAID or LVM. Empty where the system names none. */
  readonly disks: readonly Disk[];
}

export interface Disk {
  readonly kind: (typeof DISK_KINDS)[number];
  readonly model: string | null;
  readonly bytes: number | null;
  /** What the kernel takes it for; it knows little of virtual disks. */
  readonly rotational: boolean | null;
}

/** Between which frequencies the governor may choose: the lowest and highest limit of all CPUs. */
export interface FrequencyRange {
  readonly driver: string | null;
  /** Each that some CPU uses. */
  readonly governors: readonly string[];
  readonly min_hz: number;
  readonly max_hz: number;
}

/** Limits of this process's control group and of those above it: the tightest counts. */
export interface ControlGroup {
  /** Of the hierarchy that limits CPU time. */
  readonly version: 1 | 2;
  /** CPUs' worth of time; null: no limit. */
  readonly cpu_quota: number | null;
  /** Periods in which the group wanted to run, and those of them in which it was stopped; since it was made. */
  readonly periods: number | null;
  readonly throttled_periods: number | null;
  readonly throttled_ns: number | null;
  /** Null: no limit below the machine's memory. */
  readonly memory_limit_bytes: number | null;
}

export interface Swap {
  readonly total_bytes: number;
  readonly used_bytes: number;
  readonly swappiness: number | null;
}

export interface HugePages {
  /** When the kernel uses them by itself: always, madvise, never. */
  readonly transparent: string | null;
  /** Set aside for programs that ask for them. */
  readonly reserved: number | null;
  readonly page_bytes: number | null;
}

/** The first line that each says of its version; null: there is none on PATH, or it does not run. */
interface Tools {
  readonly c_compiler: string | null;
  readonly cxx_compiler: string | null;
  readonly valgrind: string | null;
}

export type CounterAvailability = { readonly available: true } | { readonly available: false; readonly reason: string };

/** Rates during one trial. Null where the machine does not say. */
export interface TrialNoise {
  /** Share of one CPU that the hypervisor took (of the subject's CPU where it is pinned, else the sum over all). */
  readonly steal: number | null;
  /** CPUs kept busy by anything but the subject. */
  readonly other_cpu: number | null;
  /** Mean of the frequency at start and end, of the subject's CPU where pinned. */
  readonly frequency_hz: number | null;
}

/** A look at the machine, taken around a pair. */
export interface MachineState {
  readonly load_1m: number | null;
  /** PSI "some" average over 10 s, as a fraction. */
  readonly cpu_pressure: number | null;
  /** Other processes since the last look, the busiest first, at most five. */
  readonly busiest: readonly BusyProcess[];
}

export interface BusyProcess {
  /** As it calls itself, printable; never its arguments. */
  readonly name: string;
  /** Share of one CPU. */
  readonly cpu: number;
}
