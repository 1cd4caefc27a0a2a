/** The driver of the RocksDB example must notice an engine that loses or alters data. The engine here is made to. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DRIVER = fileURLToPath(new URL('../../examples/rocksdb-versions/driver.mjs', import.meta.url));

/** The part of the interface of the npm package `rocksdb` that the driver uses, in memory, with one fault. */
const ENGINE = `
const { mkdirSync } = require('node:fs');
const stores = new Map();
const fault = process.env.FAULT;
const later = (callback, ...answer) => setImmediate(() => callback(...answer));
const order = (store) => [...store.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
let puts = 0;
let writes = 0;
module.exports = (location) => ({
  open(options, callback) {
    if (options.createIfMissing === false && (fault === 'lost-database' || !stores.has(location))) {
      return later(callback, new Error('does not exist'));
    }
    mkdirSync(location, { recursive: true });
    if (!stores.has(location)) stores.set(location, new Map());
    this.store = stores.get(location);
    if (options.createIfMissing === false && fault === 'extra-record') this.store.set('ff'.repeat(16), Buffer.alloc(100));
    later(callback, null);
  },
  close(callback) { later(callback, null); },
  batch() {
    const operations = [];
    return {
      put: (key, value) => {
        puts += 1;
        if (puts === 700 && fault === 'lost-write') return;
        const stored = Buffer.from(value);
        if (puts === 700 && fault === 'altered-value') stored[99] ^= 1;
        operations.push([key.toString('hex'), stored]);
      },
      write: (callback) => {
        writes += 1;
        if (writes === 2 && fault === 'refused-batch') return later(callback, new Error('no space'));
        for (const [key, value] of operations) this.store.set(key, value);
        later(callback, null);
      },
    };
  },
  get(key, callback) {
    const value = this.store.get(key.toString('hex'));
    if (value === undefined) return later(callback, new Error('not found'));
    later(callback, null, fault === 'wrong-read' ? Buffer.alloc(100) : value);
  },
  iterator() {
    const entries = order(this.store);
    let at = 0;
    return {
      next(callback) {
        if (at === 700 && fault === 'iterator-error') return later(callback, new Error('corruption'));
        const entry = entries[at];
        at += 1;
        if (entry === undefined) later(callback, null);
        else later(callback, null, Buffer.from(entry[0], 'hex'), entry[1]);
      },
      end(callback) { later(callback, null); },
    };
  },
});
`;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-driver-'));
  await mkdir(join(root, 'node_modules', 'rocksdb'), { recursive: true });
  await writeFile(join(root, 'node_modules', 'rocksdb', 'index.js'), ENGINE);
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Result {
  readonly metrics: Readonly<Record<string, number>>;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function run(fault: string): Promise<Result> {
  const args = [DRIVER, root, join(root, `db-${fault}`), '1200', '5000'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, FAULT: fault } });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const failed = ({ checks }: Result) => Object.keys(checks).filter((name) => checks[name]?.ok !== true);

describe('the driver of the RocksDB example', () => {
  it('reports times, checks and facts of an engine that keeps its word', async () => {
    const result = await run('none');
    expect(Object.keys(result.checks)).toEqual(['written', 'reopened', 'verified', 'read']);
    expect(failed(result)).toEqual([]);
    expect(Object.keys(result.metrics)).toEqual(['build', 'write', 'read']);
    for (const value of Object.values(result.metrics)) expect(value).toBeGreaterThan(0);
    expect(result.facts).toMatchObject({ records: 1200, reads: 5000, user_bytes: 1200 * 116 });
  });

  it.each([
    ['lost-write', ['verified', 'read'], '1199 of 1200 records'],
    ['altered-value', ['verified', 'read'], '1 not as written'],
    ['extra-record', ['verified'], '1201 of 1200 records'],
    ['refused-batch', ['written', 'verified', 'read'], '700 of 1200 records'],
    ['iterator-error', ['verified'], 'stopped after 700 records'],
    ['wrong-read', ['read'], null],
  ])('notices: %s', async (fault, expected, detail) => {
    const result = await run(fault);
    expect(failed(result)).toEqual(expected);
    if (detail !== null) expect(result.checks['verified']?.detail).toContain(detail);
  });

  it('reports a database that cannot be reopened, without metrics', async () => {
    const result = await run('lost-database');
    expect(failed(result)).toEqual(['reopened']);
    expect(result.metrics).toEqual({});
  });

  it('refuses a size that is no number', async () => {
    const running = promisify(execFile)(process.execPath, [DRIVER, root, join(root, 'db'), 'many', '5']);
    await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('RECORDS') });
  });
});
