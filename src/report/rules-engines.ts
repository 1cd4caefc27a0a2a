/** Sentences of studies of engines. */
export const ENGINE_RULES = {
  'engines.about': {
    when: 'always',
    sentence:
      '{engines} are given the same keys and values in the same order. Blocks of one trial of each run in {orders}, drawn from seed {seed}; every load and every overwrite is read back and counted in each trial.',
  },
  'engines.means': {
    when: 'always',
    sentence:
      'A number is the geometric mean over blocks, with its {level} t interval on logarithms below it; where a value is zero both are arithmetic. The unit is the trial. These are numbers of these libraries with these settings on this one machine.',
  },
  'engines.small': {
    when: 'the study ran with --small',
    sentence:
      'Run with --small: small sizes, which show that the study works; they are no sizes to choose an engine by.',
  },
  'engines.size': {
    when: 'for each size',
    sentence:
      '{keys} records of {record} loaded in {load}; {points} reads of single records, {ranges} of {length} adjacent ones, {overwrites} overwrites; a cache of {cache}, {limit}; {blocks}.',
  },
  'engines.random': { when: 'records are loaded in random order', sentence: 'random order' },
  'engines.sequence': { when: 'records are loaded in the order of their keys', sentence: 'the order of their keys' },
  'engines.limited': {
    when: 'a size has a limit of memory',
    sentence: 'all memory within {limit}, pages of files too',
  },
  'engines.unlimited': { when: 'a size has none', sentence: 'no limit of memory' },
  'engines.rates': {
    when: 'below the table of rates',
    sentence:
      'Operations a second. "Settled" has the time in it until compactions are done and all is synced. wamp: bytes written to the device until then, those of its file system and what the kernel wrote back meanwhile included / bytes of user data (keys and values). While keys and values are made, untimed, threads of an engine may go on.',
  },
  'engines.settling': {
    when: 'below the tables of settling, space and memory',
    sentence: 'Space: bytes on the disk once all has settled / bytes of user data. Memory is that of the process.',
  },
  'engines.mark': {
    when: 'a write rate is of an engine that does not sync each commit',
    sentence: '† a write that has returned may be lost in a crash: this is no rate of durable writes.',
  },
  'engines.reads': {
    when: 'below the table of reads',
    sentence:
      'Reads of the device, and kB read from it, for each query. Point and range reads go to keys of different sequences.',
  },
  'engines.costs': {
    when: 'below the table of costs',
    sentence:
      'CPU time of all threads for each operation, without settling, and how long single calls took, in microseconds. An insert is timed by commits of {batch} records, an overwrite by commits of {overwrite}.',
  },
  'engines.ranks': {
    when: 'above the table of ranks',
    sentence:
      'A rank is a tie where intervals overlap: its first number counts the engines with better intervals, its last those with worse ones. This is a coarser rule than that of better and worse, which compares within blocks and allows for all pairs of engines: the two need not agree. There is no rank over all figures: which of them matters is not for this study to say.',
  },
  'engines.standings': {
    when: 'above the table of strengths and weaknesses',
    sentence:
      'What two engines are told apart by: paired by block, with Holm’s adjustment over all pairs of engines of a figure. A factor says how many times as good or as bad the engine is as the one that is named. What is not named is not told apart, or not compared since a value is zero; that does not mean that it is equal.',
  },
  'engines.better': { when: 'a figure sets an engine apart from others', sentence: '{figure}: {times}' },
  'engines.orders': {
    when: 'for each size',
    sentence:
      '{size}: of {apart} comparisons of two engines whose intervals do not overlap, over all figures, {agree} keep their order whichever of the two ran first{untested}.',
  },
  'engines.orders-few': {
    when: 'a size has so few blocks that two engines whose intervals do not overlap cannot change places',
    sentence:
      '{size}: {blocks} cannot show it. Intervals of so few do not overlap only where both orders agree; from 8 blocks on, at 95 %, this says something.',
  },
  'engines.conflict': {
    when: 'two engines whose intervals do not overlap change places with the order in which they ran',
    sentence: '{size}, {figure}: {engine} and {other} change places with the order in which they ran.',
  },
  'engines.untested': {
    when: 'pairs of engines never ran in both orders',
    sentence: '; {count} never ran in both orders, or were equal in one',
  },
  'engines.not-durable': {
    when: 'engines do not sync each commit',
    sentence:
      '{engines} (sync: {sync}): a write that has returned may be lost in a crash, which makes writing faster than where it may not; write rates are marked †.',
  },
  'engines.differ': { when: 'engines differ in what they promise', sentence: 'Engines differ in {promise}: {groups}.' },
  'engines.assertions': {
    when: 'a library has assertions',
    sentence: '{engines}: the library is built with assertions, and may be slower than a build for production.',
  },
  'engines.assertions-unknown': {
    when: 'it is not known whether a library has assertions',
    sentence: '{engines}: it is not known whether the library is built with assertions.',
  },
  'engines.compression': {
    when: 'an engine compresses',
    sentence: '{engines}: data is compressed, which the others do not do.',
  },
  'engines.cache-unbounded': {
    when: 'an engine has no cache of its own',
    sentence:
      '{engines}: there is no cache that could be bounded; without a limit of memory all that the machine has is its cache.',
  },
  'engines.bytes-of-process': {
    when: 'there was no device of the trial',
    sentence:
      '{engines}: bytes are those that the kernel accounts to the process. Pages that are made dirty count as written, whether or not they reach the device, and reads are not counted.',
  },
  'engines.not-io-bound': {
    when: 'a size has a limit of memory, and few point reads went to the device',
    sentence:
      'In {size} most point reads of {engines} were answered from memory: these are not numbers of a database that is larger than memory.',
  },
  'engines.not-cached': {
    when: 'a size has no limit of memory, and point reads went to the device',
    sentence: 'In {size} point reads of {engines} went to the device: the database was not in memory all the time.',
  },
  'engines.no-claim': {
    when: 'drivers say what their numbers are no claim about',
    sentence: 'What the drivers make no claim about: {claims}.',
  },
  'engines.left-engine': {
    when: 'the library of an engine is not there',
    sentence: '{name} is left out: {reason}. {remedy}',
  },
  'engines.left-size': {
    when: 'no memory group can be made',
    sentence: 'The size {name} is left out: {reason}. {remedy}',
  },
  'engines.left-device': {
    when: 'no device can be made',
    sentence: 'Trials have no device of their own: {reason}. {remedy}',
  },
  'engines.bar': { when: 'for each bar of a plot', sentence: '{engine}: {value}' },
} as const;
