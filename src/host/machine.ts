/** What is known of a machine: facts that hold for a run, and how busy it was around a trial. */

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
  /** Other processes by their share of one CPU since the last look, the busiest first, at most five. */
  readonly busiest: readonly { readonly name: string; readonly cpu: number }[];
}
