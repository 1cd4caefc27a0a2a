/** The home directory, where there is one. */
import { homedir } from 'node:os';

/** Null for a user id without an entry in the user database, where HOME is not set either. */
export function homeDirectory(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}
