/** Other people's programs that measure and pin where Node cannot: GNU time and util-linux's taskset. */
import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { LaunchOutcome } from '../launch.ts';

/** A means of measuring that may be missing on a machine, or be left unused on request. */
export type Means = 'cgroup' | 'time' | 'taskset' | 'flock';

/** Absolute paths of the programs that are there. */
export interface Tools {
  readonly time: string | null;
  readonly taskset: string | null;
  readonly flock: string | null;
  readonly sync: string | null;
}

export function findTools(path: string, without: readonly Means[]): Tools {
  const find = (name: Means | 'sync') => (without.some((each) => each === name) ? null : findProgram(name, path));
  const time = find('time');
  return {
    time: time !== null && isGnuTime(time) ? time : null,
    taskset: find('taskset'),
    flock: find('flock'),
    sync: find('sync'),
  };
}

function findProgram(name: string, path: string): string | null {
  for (const directory of path.split(delimiter)) {
    const file = join(directory, name);
    if (isAbsolute(directory) && notExecutable(file) === null) return file;
  }
  return null;
}

/** GNU time 1.7 and before report four times the peak. */
function isGnuTime(file: string): boolean {
  const { stdout, stderr } = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 5000 });
  const text = `${stdout}${stderr}`;
  return /\bGNU Time\b/i.test(text) && !/\b1\.[0-7]\b/.test(text);
}

/**
 * The errno's name that execve(2) would fail with, as far as that can be told beforehand; null where nothing stands
 * against it. To be asked first: execvp(3) in Node and in the wrappers hands a file of no known format to a shell.
 */
export function notExecutable(file: string, depth = 0): string | null {
  let head: Buffer;
  try {
    accessSync(file, constants.X_OK);
    if (!statSync(file).isFile()) return 'EACCES';
    head = readHead(file, 256);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EACCES';
    // It may be executable and still not readable.
    return code === 'EACCES' && isExecutable(file) ? null : code;
  }
  if (head.toString('latin1', 0, 2) !== '#!') return isBinary(head) ? null : 'ENOEXEC';
  const interpreter = head.toString('utf8', 2).split('\n')[0]?.trim().split(/[ \t]/)[0] ?? '';
  if (interpreter === '') return 'ENOEXEC';
  return depth === 4 ? 'ELOOP' : notExecutable(interpreter, depth + 1);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What e_machine may be (its low byte): 64-bit, and the 32-bit one that the same processors run. */
const ELF_MACHINES: Partial<Record<NodeJS.Architecture, (number | undefined)[]>> = { x64: [62, 3], arm64: [183, 40] };

function isBinary(head: Buffer): boolean {
  if (process.platform !== 'darwin') {
    const isElf = head.length >= 20 && head.toString('latin1', 0, 4) === '\x7fELF';
    return isElf && (ELF_MACHINES[process.arch] ?? [head[18]]).includes(head[18]);
  }
  const machO = ['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe', 'cafebabf'];
  return machO.includes(head.toString('hex', 0, 4));
}

function readHead(file: string, bytes: number): Buffer {
  // Not to wait for ever on a pipe that took the file's place.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** The argv that pins to `cpus` (a list as taskset takes it) and lets GNU time write its report. */
export function wrap(
  argv: readonly string[],
  tools: Tools,
  cpus: string | null,
  report: string,
): [string, ...string[]] {
  const pinning = cpus !== null && tools.taskset !== null ? [tools.taskset, '-c', cpus] : [];
  const timing = tools.time === null ? [] : [tools.time, '-o', report, '-f', 'assay %M %x'];
  const [program = '', ...rest] = [...pinning, ...timing, ...argv];
  return [program, ...rest];
}

export interface TimeReport {
  readonly max_rss_bytes: number;
  readonly outcome: LaunchOutcome;
}

/** GNU time's own words about the subject; null where it was killed before it could write them. */
export function readTimeReport(report: string): TimeReport | null {
  let text: string;
  try {
    text = readFileSync(report, 'utf8');
  } catch {
    return null;
  }
  const numbers = /^assay ([0-9]{1,15}) ([0-9]{1,3})$/m.exec(text);
  if (numbers === null) return null;
  const signal = /^Command terminated by signal ([0-9]{1,3})$/m.exec(text)?.[1];
  return {
    max_rss_bytes: Number(numbers[1]) * 1024,
    outcome:
      signal === undefined
        ? { kind: 'exited', code: Number(numbers[2]) }
        : { kind: 'signalled', signal: signalName(Number(signal)) },
  };
}

function signalName(number: number): string {
  const found = Object.entries(osConstants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `SIG${number}`;
}

/**
 * Whether the wrapper, not the subject, ended with 126 or 127: then it left its complaint in the subject's stderr, which
 * holds nothing else. Returns the errno's name.
 */
export function wrapperFailure(code: number, argv0: string, tools: Tools, stderr: string): string | null {
  if (code !== 126 && code !== 127) return null;
  let complaint: string;
  try {
    complaint = readHead(stderr, 8192).toString('utf8');
  } catch {
    return null;
  }
  const openings = [`${tools.time}: cannot run ${argv0}: `, `taskset: failed to execute ${argv0}: `];
  if (!openings.some((opening) => complaint.startsWith(opening))) return null;
  if (code === 127) return 'ENOENT';
  if (complaint.includes('Exec format error')) return 'ENOEXEC';
  return complaint.includes('Argument list too long') ? 'E2BIG' : 'EACCES';
}
