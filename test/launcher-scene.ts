/** Where launchers are tried: a directory, programs that misbehave, and a look for what they left running. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LaunchRequest } from '../src/trial/launch.ts';

const TOKEN = 'ASSAY_TEST_TOKEN';
const MIB = 1024 * 1024;

/** The path of a program that misbehaves. */
export function nasty(name: string): string {
  return join(import.meta.dirname, 'fixtures', 'nasty', name);
}

/** A directory for one test, a token that every process started in it carries, and requests that carry it. */
export interface Scene {
  readonly directory: string;
  request(argv: readonly [string, ...string[]], changes?: Partial<LaunchRequest>): LaunchRequest;
  stdout(): string;
  /** Processes alive that carry the token. */
  survivors(): string[];
  remove(): void;
}

function survivorsOf(token: string): string[] {
  const mark = `${TOKEN}=${token}`;
  if (process.platform !== 'linux') {
    const list = execFileSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 64 * MIB });
    return list.split('\n').filter((line) => line.includes(mark));
  }
  return readdirSync('/proc').filter((entry) => {
    try {
      return /^\d+$/.test(entry) && readFileSync(`/proc/${entry}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}

export function openScene(): Scene {
  const directory = mkdtempSync(join(tmpdir(), 'assay-launcher-'));
  const token = randomUUID();
  let trials = 0;
  const output = (name: string): string => join(directory, `${name}-${trials}`);
  return {
    directory,
    request(argv, changes = {}) {
      trials += 1;
      return {
        argv,
        cwd: directory,
        env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', [TOKEN]: token },
        stdin: null,
        stdout: output('stdout'),
        stderr: output('stderr'),
        cpu: null,
        fixed_layout: false,
        real_time: false,
        memory_group: null,
        counters: null,
        timeout_ms: 60_000,
        grace_ms: 300,
        max_output_bytes: MIB,
        settle: false,
        ...changes,
      };
    },
    stdout: () => readFileSync(output('stdout'), 'utf8'),
    survivors: () => survivorsOf(token),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Throws when the condition does not come true in 20 s. */
export async function waitUntil(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(20);
  }
}
