/** Programs that were started with `detached`, and all that they left in their process group. */

/** Does nothing where nothing of the group is left, or where it never began. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
