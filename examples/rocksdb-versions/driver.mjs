/**
 * Applies one workload to one version of the npm package `rocksdb`, in a fresh process and a fresh database.
 *
 *   node --expose-gc driver.mjs DIRECTORY_OF_THE_PACKAGE DATABASE RECORDS READS
 *
 * Three regions are timed, each alone; nothing else is:
 *   build  putting every record into chained batches: the package's JavaScript, the crossing into C++, and RocksDB's
 *          encoding of the batch. All batches are kept until every one is built.
 *   write  writing those batches one after the other: write-ahead log (no fsync) and memtable. One crossing and one
 *          hand-over to a thread of the pool for 500 records, so that nearly all of it is the engine.
 *   read   point reads in a seeded random order, from the reopened database, 500 under way at once. Each read crosses
 *          into C++ and is handed to a thread: the package offers no synchronous read, so a good part of this is the
 *          binding and the event loop. The verification before it has put the whole database into RocksDB's cache.
 *          Values are kept, and compared after the clock has stopped.
 *
 * Between write and read the database is closed, reopened, and every key and value is compared with what was written.
 * The last line of stdout is one JSON object: metrics (times in ns, whole regions), checks, facts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const KEY_BYTES = 16;
const VALUE_BYTES = 100;
const MOST_RECORDS = 2 ** 21;
const BATCH_RECORDS = 500;
const READS_UNDER_WAY = 500;
/** Large enough that no memtable is flushed, and that all that is read stays in memory. */
const OPTIONS = { compression: false, writeBufferSize: 256 << 20, cacheSize: 256 << 20, maxOpenFiles: 1000 };

const [, , packageDirectory, database, recordsText, readsText] = process.argv;
const records = count(recordsText, 'RECORDS', MOST_RECORDS);
const reads = count(readsText, 'READS', 1e7);
const rocksdb = createRequire(join(packageDirectory, 'package.json'))('rocksdb');

const { keys, values, prefixes } = makeRecords(records);
const checks = {};

let db = rocksdb(database);
await done((callback) => db.open({ ...OPTIONS, errorIfExists: true }, callback));

const batches = [];
const build = await timed(() => {
  for (let first = 0; first < records; first += BATCH_RECORDS) {
    const batch = db.batch();
    const end = Math.min(first + BATCH_RECORDS, records);
    for (let at = first; at < end; at += 1) batch.put(keys[at], values[at]);
    batches.push(batch);
  }
});

let writeErrors = 0;
const write = await timed(async () => {
  for (const batch of batches) {
    await done((callback) => batch.write(callback)).catch(() => {
      writeErrors += 1;
    });
  }
});
checks.written = { ok: writeErrors === 0, detail: `${batches.length} batches, ${writeErrors} refused` };
batches.length = 0;

await done((callback) => db.close(callback));
db = rocksdb(database);
const reopening = await done((callback) => db.open({ ...OPTIONS, createIfMissing: false }, callback)).then(
  () => null,
  (error) => error,
);
checks.reopened = { ok: reopening === null, detail: reopening === null ? 'with createIfMissing off' : `${reopening}` };
if (reopening !== null) await finish({});

checks.verified = await verify(db);

const sequence = drawSequence(reads, records);
const found = new Array(reads).fill(null);
const read = await timed(() => readAll(db, sequence, found));
let wrong = 0;
for (let at = 0; at < reads; at += 1) {
  if (found[at] === null || !values[sequence[at]].equals(found[at])) wrong += 1;
}
checks.read = { ok: wrong === 0, detail: `${reads} values read, ${wrong} wrong or missing` };

await done((callback) => db.close(callback));
await finish({ build, write, read });

/** The same records, in the same order, in every trial of both arms. */
function makeRecords(n) {
  const block = Buffer.alloc(n * (KEY_BYTES + VALUE_BYTES));
  const words = new Uint32Array(block.buffer, block.byteOffset, block.length / 4);
  let state = 0x6a09e667;
  for (let at = 0; at < words.length; at += 1) {
    state = step(state);
    words[at] = state;
  }
  const made = { keys: new Array(n), values: new Array(n), prefixes: new Uint32Array(n) };
  for (let at = 0; at < n; at += 1) {
    const start = at * (KEY_BYTES + VALUE_BYTES);
    made.keys[at] = block.subarray(start, start + KEY_BYTES);
    made.values[at] = block.subarray(start + KEY_BYTES, start + KEY_BYTES + VALUE_BYTES);
    made.prefixes[at] = scatter(at);
    made.keys[at].writeUInt32BE(made.prefixes[at], 0);
  }
  return made;
}

/** A permutation of all 32-bit numbers (the finalizer of MurmurHash3, Appleby 2011): keys scattered, none twice. */
function scatter(number) {
  let bits = number;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** xorshift32 (Marsaglia 2003). */
function step(state) {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  next ^= next << 5;
  return next >>> 0;
}

function drawSequence(length, below) {
  const drawn = new Uint32Array(length);
  let state = 0x9e3779b9;
  for (let at = 0; at < length; at += 1) {
    state = step(state);
    drawn[at] = state % below;
  }
  return drawn;
}

/** Reads the whole database with an iterator, and compares it with what was written, in key order. */
async function verify(opened) {
  // Sorted as numbers: the key's first four bytes, then the record's number, in one double each.
  const order = Float64Array.from(prefixes, (prefix, at) => prefix * MOST_RECORDS + at).sort();
  const seen = { records: 0, different: 0 };
  const iterator = opened.iterator({ fillCache: true, highWaterMark: 1 << 20 });
  const error = await new Promise((resolve) => {
    const take = (failure, key, value) => {
      if (failure) return resolve(failure);
      if (key === undefined) return resolve(null);
      const expected = order[seen.records] % MOST_RECORDS;
      if (seen.records >= records || !keys[expected].equals(key) || !values[expected].equals(value))
        seen.different += 1;
      seen.records += 1;
      iterator.next(take);
    };
    iterator.next(take);
  });
  await done((callback) => iterator.end(callback));
  return {
    ok: error === null && seen.records === records && seen.different === 0,
    detail:
      error === null
        ? `${seen.records} of ${records} records, ${seen.different} not as written`
        : `the iterator stopped after ${seen.records} records: ${error}`,
  };
}

/** Keeps READS_UNDER_WAY reads going until all are answered. A read that fails leaves null. */
function readAll(opened, wanted, answers) {
  return new Promise((resolve) => {
    let next = 0;
    let answered = 0;
    const issue = () => {
      const at = next;
      next += 1;
      opened.get(keys[wanted[at]], (error, value) => {
        if (!error) answers[at] = value;
        answered += 1;
        if (next < wanted.length) issue();
        else if (answered === wanted.length) resolve();
      });
    };
    const first = Math.min(READS_UNDER_WAY, wanted.length);
    for (let at = 0; at < first; at += 1) issue();
  });
}

/** Nanoseconds that `work` takes. Garbage of what came before is collected first, outside of the clock. */
async function timed(work) {
  globalThis.gc?.();
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started);
}

function done(start) {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}

function count(text, name, most) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new Error(`${name} is a whole number from 1 to ${most}, not '${text}'`);
  }
  return value;
}

/** What the engine itself wrote into the database; null where it did not. */
function engineVersion() {
  const name = readdirSync(database).find((file) => file.startsWith('OPTIONS-'));
  if (name === undefined) return null;
  return /^\s*rocksdb_version=([0-9.]+)$/m.exec(readFileSync(join(database, name), 'utf8'))?.[1] ?? null;
}

/** Prints the result line and ends the process: never returns. */
function finish(metrics) {
  const facts = {
    rocksdb: engineVersion(),
    records,
    reads,
    key_bytes: KEY_BYTES,
    value_bytes: VALUE_BYTES,
    user_bytes: records * (KEY_BYTES + VALUE_BYTES),
    node: process.version,
  };
  return new Promise(() => {
    process.stdout.write(`${JSON.stringify({ metrics, checks, facts })}\n`, () => process.exit(0));
  });
}
