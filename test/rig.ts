/** Runs the built program as a user does: in a temporary directory, with a cache that the tests share. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { replayJournal } from '../src/journal/replay.ts';
import { whole } from '../src/journal/whole.ts';
import { type RanJournal, ran } from './ran.ts';

/** What Node.js runs as `assay`. */
export const PROGRAM = inject('program');
const CACHE = inject('cache');

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Rig {
  readonly directory: string;
  /** Of the programs that are started here. */
  readonly environment: NodeJS.ProcessEnv;
  write(name: string, content: string): string;
  read(name: string): string;
  list(name: string): string[];
  journal(run: string): RanJournal;
  /** Makes a cache that no other test uses, and gives its path: of all that is made in one it has the launcher alone. */
  ownCache(): string;
  assay(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  start(args: readonly string[], env?: NodeJS.ProcessEnv): { child: ChildProcess; ended: Promise<Ended> };
  remove(): void;
}

export function openRig(): Rig {
  const directory = mkdtempSync(join(tmpdir(), 'assay-test-'));
  const environment = { PATH: process.env['PATH'], HOME: directory, ASSAY_CACHE: CACHE };
  const start: Rig['start'] = (args, env = {}) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: directory,
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (data: Buffer) => out.push(data));
    child.stderr?.on('data', (data: Buffer) => err.push(data));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
      });
    });
    return { child, ended };
  };
  return {
    directory,
    environment,
    write(name, content) {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    read: (name) => readFileSync(join(directory, name), 'utf8'),
    list: (name) => readdirSync(join(directory, name)).sort(),
    ownCache() {
      const cache = join(directory, 'cache');
      mkdirSync(cache, { mode: 0o700 });
      const compiled = join(CACHE, 'bin');
      // What is being compiled may get its name meanwhile.
      const filter = (path: string) => !path.endsWith('.tmp');
      if (existsSync(compiled)) cpSync(compiled, join(cache, 'bin'), { recursive: true, filter });
      return cache;
    },
    journal: (run) => ran(whole(replayJournal(join(directory, run, 'journal.jsonl')).journal)),
    assay: (args, env) => start(args, env).ended,
    start,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Processes whose command line holds `token`, by what the system lists. */
export function processesWith(token: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(token) && Number(pid) !== process.pid ? [`${pid} ${line}`] : [];
      } catch {
        return [];
      }
    });
}
