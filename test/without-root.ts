/** Runs what must be refused to a user without rights, also where the tests run as root. */
export async function withoutRoot<T>(work: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
