/** Why events could not be counted, in words that name the remedy. */
import type { CounterKind } from '../experiment/counters.ts';

/**
 * What `perf_event_open` refused (drivers/counters.h says the same of itself).
 * @param event the first that could not be opened
 * @param code name of the errno
 * @param paranoid the value of kernel.perf_event_paranoid; null where it is not known
 */
export function counterReason(kind: CounterKind, event: string, code: string, paranoid: number | null): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM': {
      const level = paranoid === null ? '' : `, kernel.perf_event_paranoid is ${paranoid}`;
      // Switches and migrations happen in the kernel, which an ordinary user may not look into from 2 on.
      const most = kind === 'hardware' ? 2 : 1;
      return `perf_event_open is forbidden (${code}${level}): set it to ${most} or less, or give CAP_PERFMON; in a container, allow the call`;
    }
    case 'ENOENT':
    case 'EOPNOTSUPP':
    case 'ENODEV':
      return `this machine has no ${kind} counter for ${event} (${code}): virtual machines often have none`;
    case 'ENOSYS':
      return 'this system has no perf_event_open (ENOSYS)';
    case 'EINVAL':
      return `the kernel refuses ${event} in this group of events (EINVAL): the machine may count fewer at a time`;
    default:
      return `perf_event_open failed for ${event} (${code})`;
  }
}
