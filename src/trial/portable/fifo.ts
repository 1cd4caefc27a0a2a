/** Two pipes between the watcher and a subject that works in slices. Node has none of its own that block: FIFOs do. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel, OwnChannel } from './turns.ts';

export interface Fifos {
  /** Our ends. */
  readonly ours: OwnChannel;
  /** What the subject is given as descriptors 3 and 4. */
  readonly theirs: Channel;
  /** Closes the subject's ends, once it has them: then we see when it closes its own. */
  closeTheirs(): void;
  /** Closes our end of the requests; harmless when it is closed. */
  closeRequests(): void;
  closeAnswers(): void;
}

/** Throws where the system has no `mkfifo`. */
export function openFifos(scratch: string, name: string): Fifos {
  const requests = openFifo(join(scratch, `${name}-requests`));
  closeSync(requests.peek);
  const answers = openFifo(join(scratch, `${name}-answers`));
  return {
    ours: { requests: requests.write, answers: answers.read, peek: answers.peek },
    theirs: { requests: requests.read, answers: answers.write },
    closeTheirs: once(() => [requests.read, answers.write].forEach(closeSync)),
    closeRequests: once(() => closeSync(requests.write)),
    closeAnswers: once(() => [answers.read, answers.peek].forEach(closeSync)),
  };
}

function once(close: () => void): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) close();
    isOpen = false;
  };
}

/** Both ends. The first open is for reading and writing: it does not wait for another side. */
function openFifo(path: string): { readonly read: number; readonly write: number; readonly peek: number } {
  const made = spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
  if (made.status !== 0) throw new Error(`mkfifo failed: ${made.error?.message ?? `exit code ${made.status}`}`);
  const both = openSync(path, constants.O_RDWR);
  const read = openSync(path, constants.O_RDONLY);
  const write = openSync(path, constants.O_WRONLY);
  const peek = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  closeSync(both);
  rmSync(path);
  return { read, write, peek };
}
