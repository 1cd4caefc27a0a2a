/** What Linux says of its memory: how much is free, swap, huge pages, random addresses. */
import type { HugePages, MachineFacts, Swap } from './machine.ts';
import { type MachineFiles, wholeNumber } from './machine-files.ts';

const TRANSPARENT = '/sys/kernel/mm/transparent_hugepage/enabled';

export function memoryFacts(
  files: MachineFiles,
): Pick<MachineFacts, 'memory_available_bytes' | 'swap' | 'huge_pages' | 'aslr'> {
  const meminfo = parseMeminfo(files.read('/proc/meminfo') ?? '');
  const bytes = (name: string) => {
    const kibibytes = meminfo.get(name);
    return kibibytes === undefined ? null : kibibytes * 1024;
  };
  return {
    memory_available_bytes: bytes('MemAvailable'),
    swap: swapOf(bytes('SwapTotal'), bytes('SwapFree'), files.number('/proc/sys/vm/swappiness')),
    huge_pages: hugePages(files.line(TRANSPARENT), meminfo.get('HugePages_Total') ?? null, bytes('Hugepagesize')),
    aslr: files.number('/proc/sys/kernel/randomize_va_space'),
  };
}

/** Lines such as `MemTotal:       24684092 kB`: kibibytes, or a count where there is no unit. */
function parseMeminfo(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, digits] = /^([A-Za-z0-9_()]+):\s*(\d+)(?: kB)?$/.exec(line) ?? [];
    const value = wholeNumber(digits);
    if (name !== undefined && value !== null) values.set(name, value);
  }
  return values;
}

function swapOf(total: number | null, free: number | null, swappiness: number | null): Swap | null {
  if (total === null || free === null) return null;
  return { total_bytes: total, used_bytes: Math.max(0, total - free), swappiness };
}

/** The chosen word stands in brackets: `always [madvise] never`. */
function hugePages(choice: string | null, reserved: number | null, pageBytes: number | null): HugePages | null {
  const transparent = /\[([a-z]+)\]/.exec(choice ?? '')?.[1] ?? null;
  if (transparent === null && reserved === null) return null;
  return { transparent, reserved, page_bytes: pageBytes };
}
