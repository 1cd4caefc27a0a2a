/** Judgements of memory, storage and software. */
import { PLAIN } from '../report/plain-text.ts';
import { storageText } from '../report/storage.ts';
import { formatBytes } from '../report/units.ts';
import { bad, gradedRoom, isLinux, type Judge, type Judgement, MEMORY, type Observed, ok, warn } from './judgement.ts';

const FREE_SPACE = { warn: 5 * 2 ** 30, bad: 2 ** 29 };
/** A clock that the kernel reads from a device, at about a microsecond each time. */
const SLOW_CLOCKS = /^(?:hpet|acpi_pm|pit|jiffies|refined-jiffies)$/;
/** As package.json says. */
const LEAST_NODE = [20, 19] as const;

export function judgeMemory({ facts: { memory_bytes, memory_available_bytes: free } }: Observed): Judgement {
  const all = formatBytes(memory_bytes);
  if (free === null) return ok(all);
  return gradedRoom(free, MEMORY, `${all}, ${formatBytes(free)} of it available`, 'Stop what uses so much of it.');
}

export function judgeSwap({ facts: { swap } }: Observed): Judgement | null {
  if (swap === null) return null;
  if (swap.total_bytes === 0) return ok('none');
  const setting = swap.swappiness === null ? '' : `, swappiness ${swap.swappiness}`;
  const found = `${formatBytes(swap.used_bytes)} of ${formatBytes(swap.total_bytes)} in use${setting}`;
  if (swap.used_bytes === 0) return ok(found);
  return warn(found, 'Bring it back and keep it out: swapoff -a, and swapon -a afterwards.');
}

export function judgeHugePages({ facts: { huge_pages } }: Observed): Judgement | null {
  if (huge_pages === null) return null;
  const { transparent, reserved, page_bytes } = huge_pages;
  const size = page_bytes === null ? '' : ` of ${formatBytes(page_bytes)}`;
  const found = `transparent: ${transparent ?? 'not known'}; reserved: ${reserved ?? 'not known'}${size}`;
  if (transparent !== 'always') return ok(found);
  return warn(
    found,
    'Which memory becomes huge pages, and when, is chance: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, unless production has them.',
  );
}

export function judgeAslr({ facts: { aslr } }: Observed): Judgement | null {
  if (aslr === null) return null;
  if (aslr > 0) return ok(aslr === 1 ? 'yes, but for the heap' : 'yes: each trial draws a layout of its own');
  return warn(
    'no: all trials have one layout, which may favour one arm by chance',
    'Draw it anew for each trial: sysctl kernel.randomize_va_space=2.',
  );
}

export function judgeFileSystem({ facts: { file_system, storage } }: Observed): Judgement | null {
  if (file_system === null) return null;
  const why =
    storage?.source === 'memory'
      ? 'lies in memory: nothing is written to a device'
      : storage?.source === 'overlay'
        ? 'copies files when they are first written'
        : storage?.source === 'remote'
          ? 'belongs to another machine, or to the host of this one'
          : null;
  if (why === null) return ok(file_system);
  return warn(
    `${file_system}, which ${why}`,
    'Name a directory on the disk that matters: --dir here, trial_dir there.',
  );
}

export function judgeDevice({ facts }: Observed): Judgement | null {
  const { storage } = facts;
  if (storage === null || (storage.source !== 'block' && storage.source !== 'other')) return null;
  const found = storageText(facts, PLAIN);
  if (storage.disks.length === 0) return warn(found, 'Say by hand, where you publish results, which device it is.');
  const remedy = 'Name a directory on a disk such as production has: --dir here, trial_dir there.';
  const odd = storage.disks.some(({ kind }) => ['loop', 'zram', 'network', 'mmc'].includes(kind));
  // Of virtual disks the kernel believes that they turn unless it is told otherwise.
  const turning = storage.disks.some(({ kind, rotational }) => kind === 'scsi' && rotational === true);
  return odd || turning ? warn(found, remedy) : ok(found);
}

export function judgeFreeSpace({ facts: { free_bytes } }: Observed): Judgement | null {
  if (free_bytes === null) return null;
  const remedy = 'Free some, or name a directory elsewhere: --dir here, trial_dir there.';
  return gradedRoom(free_bytes, FREE_SPACE, formatBytes(free_bytes), remedy);
}

export function judgeKernel(observed: Observed): Judgement {
  const { distribution, platform, kernel, arch } = observed.facts;
  const found = `${distribution === null ? '' : `${distribution}, `}${platform} ${kernel}, ${arch}`;
  return isLinux(observed) ? ok(found) : warn(found, 'Measure on Linux: accounting is coarser elsewhere.');
}

export function judgeClock({ facts: { clock_source } }: Observed): Judgement | null {
  if (clock_source === null) return null;
  if (!SLOW_CLOCKS.test(clock_source)) return ok(clock_source);
  return warn(
    `${clock_source}: reading it is slow`,
    'Look into the kernel log why it does without a faster one (dmesg | grep -i clocksource).',
  );
}

export function judgeLibrary(observed: Observed): Judgement | null {
  const { c_library } = observed.facts;
  if (c_library !== null) return ok(c_library);
  if (!isLinux(observed)) return null;
  return warn('not known: neither getconf nor ldd says', 'Say by hand, where you publish results, which one it is.');
}

export function judgeTool(tool: 'c_compiler' | 'cxx_compiler' | 'valgrind'): Judge {
  const remedy = {
    c_compiler:
      'Assay accounts for trials more coarsely without: install one (Debian, Ubuntu: apt install gcc libc6-dev).',
    cxx_compiler: 'Drivers cannot be compiled without: install one (Debian, Ubuntu: apt install g++).',
    valgrind: 'Instructions cannot be counted without: install it (Debian, Ubuntu: apt install valgrind).',
  }[tool];
  return ({ facts: { tools } }) => {
    if (tools === null) return null;
    const version = tools[tool];
    return version === null ? warn('none that works is on PATH', remedy) : ok(version);
  };
}

export function judgeNode({ facts: { node } }: Observed): Judgement {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const least = LEAST_NODE.join('.');
  const old = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  return old ? bad(node, `Assay needs Node.js ${least} or later.`) : ok(node);
}
