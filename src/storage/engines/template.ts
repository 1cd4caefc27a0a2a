/** The study that `assay init --template engines` starts with. */

/** @param schema where the JSON Schema of studies is, as a path or an address */
export function starterStudy(schema: string): string {
  return `# yaml-language-server: $schema=${schema.replace(/[\r\n]/g, ' ')}

# Run it:                        assay engines FILE
# In small, in some minutes:     assay engines FILE --small
# What it found, once more:      assay engines DIR

title: Storage engines side by side
question: Which engine writes and reads how fast, and how much does it write and read for that?

# What is compared. An engine whose library is not installed is left out, unless it has \`required: true\`.
engines:
  rocksdb-leveled: {engine: rocksdb, variant: leveled}
  rocksdb-universal: {engine: rocksdb, variant: universal}
  leveldb: {engine: leveldb}
  lmdb: {engine: lmdb}
  sqlite: {engine: sqlite}
  wiredtiger: {engine: wiredtiger}
  # Of a library that you have built, by where it is installed (include/ and lib/):
  # splinterdb: {engine: splinterdb, prefix: /opt/splinterdb}
  # A program of your own that answers as the drivers do (docs/studies.md):
  # mine: {program: ./my-engine}

# How much is loaded, read and overwritten. Each is a run of its own, with a trial of each engine in every block.
sizes:
  cached:
    {keys: 10000000, value_bytes: 100, cache: 4GB, points: 2000000, ranges: 500000, overwrites: 1500000}
  cached-sequence:
    {keys: 10000000, value_bytes: 100, cache: 4GB, load: sequence, points: 2000000, ranges: 500000, overwrites: 1500000}
  # Larger than all the memory that a trial may use, pages of its files included:
  io_bound:
    {keys: 50000000, value_bytes: 100, cache: 256MB, memory_limit: 1GB, points: 500000, ranges: 100000, overwrites: 2500000}

repetitions: 4 # blocks, in twos: an order that is drawn, and its reverse
device: {size: 60GB} # of each trial, as root; its counters say what was written and read
log: false # true: writes are logged ahead, where the engine leaves the choice
timeout: 4h # of a trial
`;
}
