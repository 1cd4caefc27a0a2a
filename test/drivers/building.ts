/** Compiling the RocksDB driver against the installed library, whole or with a fault in it, and running its trials. */
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findResultLine } from '../../src/trial/result-line.ts';

export const DRIVERS = fileURLToPath(new URL('../../drivers/', import.meta.url));
export const SOURCES = join(DRIVERS, 'rocksdb');
export const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG', '-Wall', '-Wextra', '-Werror'];
export const COMPILATION_MS = 300_000;

interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

/** @throws Error with what the compiler says, where it fails */
export async function compile(args: readonly string[]): Promise<void> {
  const ended = await run('g++', args);
  if (ended.code !== 0) throw new Error(ended.stderr);
}

/** Runs the compiler once for each list of arguments, two at a time. */
export async function compileEach(calls: readonly (readonly string[])[]): Promise<void> {
  const queue = [...calls];
  const compileNext = async (): Promise<void> => {
    for (let args = queue.pop(); args !== undefined; args = queue.pop()) await compile(args);
  };
  await Promise.all([compileNext(), compileNext()]);
}

/** The flags with which a program is linked against the installed library. */
export async function installedRocksdb(): Promise<string[]> {
  return (await run('pkg-config', ['--cflags', '--libs', 'rocksdb'])).stdout.trim().split(/\s+/);
}

/**
 * Has a driver work in slices, in the directory `place`, as a session would ask it. @returns as `runTrial`, and what it
 * answered
 */
export function runSlices(program: string, args: readonly string[], place: string, requests: readonly string[]) {
  const [asked, answered] = [`${place}.requests`, `${place}.answers`];
  writeFileSync(asked, requests.map((line) => `${line}\n`).join(''));
  const files = [openSync(asked, 'r'), openSync(answered, 'w')];
  const ended = spawnSync(program, [...args, '--dir', place, '--serve'], {
    stdio: ['ignore', 'pipe', 'pipe', ...files],
    encoding: 'utf8',
  });
  for (const file of files) closeSync(file);
  const answers = readFileSync(answered, 'utf8').trimEnd().split('\n');
  for (const path of [place, asked, answered]) rmSync(path, { recursive: true, force: true });
  return { ...resultOf(ended.stdout, ended.stderr), code: ended.status, answers };
}

function resultOf(stdout: string, stderr: string) {
  const found = findResultLine(stdout);
  if (!found.ok) throw new Error(`${found.reason}: ${stderr}`);
  const failed = Object.entries(found.line.checks).flatMap(([name, { ok }]) => (ok ? [] : [name]));
  return { ...found.line, failed };
}

/**
 * Runs one trial in the directory `place`, which is removed after it: its result line, the names of failed checks, and
 * the exit code.
 * @throws Error where there is no result line
 */
export async function runTrial(program: string, args: readonly string[], place: string, env: NodeJS.ProcessEnv = {}) {
  const ended = await run(program, [...args, '--dir', place], env);
  rmSync(place, { recursive: true, force: true });
  return { ...resultOf(ended.stdout, ended.stderr), code: ended.code };
}
