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
      'A number is the mean over blocks, and below it stands its {level} t interval. Where all values of a figure are positive, means are geometric, and engines are compared by ratios; where one is zero, means of all engines are arithmetic, the column says "arith.", and engines are compared by differences. The unit is the trial. "exact" is what was the same in all blocks: it has no interval. n is of how many blocks a mean is, where some have no value.',
  },
  'engines.scope': {
    when: 'always',
    sentence:
      'These are numbers of these libraries with these settings on this one machine. All blocks have the same keys, so that intervals do not cover what other keys would give.',
  },
  'engines.small': {
    when: 'the study ran with --small',
    sentence:
      'Run with {option}: small sizes, which show that the study works; they are no sizes to choose an engine by. They cannot show trees of many levels, compactions that go on for long, caches far smaller than the data, nor overwrites that outlast a memtable.',
  },
  'engines.size': {
    when: 'for each size',
    sentence:
      '{keys} records of {record} loaded in {load}; {points} reads of single records, {ranges} of {length} adjacent ones, {overwrites} overwrites; a cache of {cache}, {limit}; {blocks}.{io}',
  },
  'engines.random': { when: 'records are loaded in random order', sentence: 'random order' },
  'engines.sequence': { when: 'records are loaded in the order of their keys', sentence: 'the order of their keys' },
  'engines.limited': {
    when: 'a size has a limit of memory',
    sentence: 'all memory within {limit}, pages of files too',
  },
  'engines.io-bound': {
    when: 'a size has a limit of memory, and point reads of all engines went to the device',
    sentence: ' IO-bound: {reads} reads of the device for each point read.',
  },
  'engines.pairs-here': { when: 'a study has three engines at most', sentence: 'tables of each two engines have' },
  'engines.pairs-elsewhere': { when: 'a study has more', sentence: 'the document that {option} prints has' },
  'engines.pair-others': {
    when: 'some pairs could not have shown anything else',
    sentence: '; of the others what is told apart has the same one ahead in both',
  },
  'engines.pairs': {
    when: 'above the tables of each two engines',
    sentence:
      'The first engine over the second, its interval at the level of its step in Holm’s procedure, and p adjusted by it. An interval that holds 1, or 0 of a difference, says how much is left open.',
  },
  'engines.unlimited': { when: 'a size has none', sentence: 'no limit of memory' },
  'engines.rates': {
    when: 'below the table of rates',
    sentence:
      'Operations a second. "Settled" has the time in it until compactions are done and all is synced. wamp: bytes written to the device until then, those of its file system and what the kernel wrote back meanwhile included / bytes of user data (keys and values). While keys and values are made, untimed, threads of an engine may go on.',
  },
  'engines.settling': {
    when: 'below the tables of settling, space and memory',
    sentence:
      'Space: bytes on the disk once all has settled / bytes of user data. Peak memory is that of the process, with what it maps of programs and libraries; in the limit, that of all which the limit counts, pages of files too.',
  },
  'engines.mark': {
    when: 'a write rate is of an engine that does not sync each commit',
    sentence:
      '† a write that has returned may be lost in a crash: this is no rate of durable writes. A settled rate has a sync at its end in it: what was written may be lost until then, and no longer.',
  },
  'engines.mark-ranks': {
    when: 'such a rate is compared with others',
    sentence:
      '† behind a figure: writes of this engine may be lost in a crash; behind a name: those of that engine. Where it holds for all engines, names go without.',
  },
  'engines.reads': {
    when: 'below the table of reads',
    sentence:
      'Reads of the device, and kB read from it, for each query. Point and range reads go to keys of different sequences.',
  },
  'engines.reads-process': {
    when: 'an engine has no device of its own',
    sentence:
      '{engines}: kB are what was read from the device on account of the process; in how many reads is not known.',
  },
  'engines.cpu': {
    when: 'below the table of CPU time',
    sentence:
      'CPU time of all threads for each operation, in microseconds. "Settled" has in it what settling takes: work that is put off is a cost.',
  },
  'engines.latency': {
    when: 'below the tables of latency',
    sentence:
      'How long single calls took, in microseconds, of all calls of a trial: {calls}. An insert is timed by commits of {batch} records, an overwrite by commits of {overwrite}.',
  },
  'engines.weak': {
    when: 'a p99 is of fewer than 1,000 calls',
    sentence: 'A p99 of fewer than 1,000 calls rests on fewer than ten of them: it is weak, and its column says so.',
  },
  'engines.ranks': {
    when: 'above the table of ranks',
    sentence:
      'Ranks follow from what engines are told apart by, as better and worse do: the first number is one more than how many are told apart as better, the last is how many are not told apart as worse. There is no rank over all figures: which of them matters is not for this study to say.',
  },
  'engines.standings': {
    when: 'above the table of strengths and weaknesses',
    sentence:
      'What two engines are told apart by: paired by block, with Holm’s adjustment over all pairs of engines of a figure. A factor says how many times as good or as bad the engine is as the one that is named; after "by" stands a difference in the unit of the figure, where a value of it is zero; behind it its interval, at the level of its step of the adjustment. What is not named is not told apart, or not compared; that does not mean that it is equal: {pairs} what the intervals of those leave open.',
  },
  'engines.standings-two': {
    when: 'two engines are compared',
    sentence:
      'Of two engines, what the one is better at the other is worse at, by the same factor: each figure stands once, below the one that is better.',
  },
  'engines.families': {
    when: 'more than one figure is compared',
    sentence:
      'The adjustment is within one figure of one size. There are {families} of these here, each with an error rate of {alpha}: were all engines alike, up to {expected} of them would tell somebody apart by chance.',
  },
  'engines.better': { when: 'a figure sets an engine apart from others', sentence: '{figure}: {times}' },
  'engines.times': {
    when: 'engines are compared by ratios',
    sentence: '{times}x{interval} {engine}',
  },
  'engines.by': {
    when: 'engines are compared by differences',
    sentence: 'by {by}{interval} {engine}',
  },
  'engines.order-effects': {
    when: 'a size has blocks enough for order effects',
    sentence:
      '{size}: of {tested} order effects (how much more the later of two engines had than the earlier, of each two engines in {families} figures) {count} shown to be other than null, with Holm’s adjustment over the pairs of a figure; chance alone finds some in up to {alpha} of the figures. {largest}',
  },
  'engines.largest-order': {
    when: 'the largest of these order effects',
    sentence: 'The largest{of}: {figure}, {engine} and {other}, {effect} {interval} for the later one.',
  },
  'engines.largest-tested': {
    when: 'none of them is shown to be other than null',
    sentence: ' of the main figures, which may be null',
  },
  'engines.largest-found': { when: 'some of them are not null', sentence: ' of those that are not null' },
  'engines.no-order-effects': {
    when: 'no two engines have two blocks in either order',
    sentence: '{size}: {blocks}, too few for order effects, which take two blocks of each two engines in either order.',
  },
  'engines.conflict': {
    when: 'an order effect is not null, and larger than what the two engines differ by',
    sentence:
      '{size}, {figure}: what {engine} and {other} differ by is less than what it matters who runs first ({effect} {interval} for the later one).',
  },
  'engines.orders': {
    when: 'engines are told apart',
    sentence:
      '{size}: of {apart} pairs of engines that are told apart, over all figures, {keep} have the same one ahead in the blocks in which the one ran first and in those in which the other did{untested}. {shows}',
  },
  'engines.changed': {
    when: 'two engines that are told apart change places with the order in which they ran',
    sentence:
      '{size}, {figure}: of {engine} and {other}, the one that is ahead is another where the one ran first than where the other did.',
  },
  'engines.untested': {
    when: 'pairs of engines never ran in both orders',
    sentence: '; {count} never ran in both orders',
  },
  'engines.orders-few': {
    when: 'no pair could have been told apart and changed places',
    sentence: 'With {blocks} it cannot be otherwise: what so few tell apart has the same one ahead in both.',
  },
  'engines.orders-some': {
    when: 'some pairs could have been told apart and changed places',
    sentence: 'Of {count} of them so many blocks could have shown something else{others}.',
  },
  'engines.changing': {
    when: 'the driver of an engine declared something else in a later trial of the same size',
    sentence:
      'In {size} {engines} did not declare the same {fact} in all trials: {values}. Its numbers are a mixture, and are marked as if the weakest held in all. Find out what changed (the output of each trial is in raw/ of the run), then run the study again in another directory.',
  },
  'engines.unread': {
    when: 'output of trials is gone',
    sentence:
      'In {size} the output of {trials} of {engines} is gone, and what the drivers declared in it is not known: facts are those of the others. Restore it from a bundle or a copy.',
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
    sentence: '{engines}: data is compressed; bytes and space are not those of the data as it is.',
  },
  'engines.cache-unbounded': {
    when: 'an engine has no cache of its own',
    sentence:
      '{engines}: there is no cache that could be bounded; without a limit of memory all that the machine has is its cache.',
  },
  'engines.bytes-of-process': {
    when: 'there was no device of the trial',
    sentence:
      '{engines}: bytes are those that the kernel accounts to the process. Pages that are made dirty count as written, whether or not they reach the device; of reads their bytes are known, and not their number. They are not compared with bytes that are counted at a device.',
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
  'engines.overwrites-in-buffer': {
    when: 'overwrites are fewer bytes than four memtables',
    sentence:
      'In {size} all overwrites of {engines} are fewer bytes than four memtables hold: their rate is that of memory, and little of a tree that is written to for long.',
  },
  'engines.reads-that-wrote': {
    when: 'more than a hundredth of the user data was written while reads were timed, in the mean over blocks',
    sentence:
      'In {size} more than 1 % of the user data was written while reads of {engines} were timed, by compactions that reads set off or by the file system: that has its share in these rates and reads.',
  },
  'engines.mixture': {
    when: 'the highest write amplification of an engine in the blocks is more than four times the lowest',
    sentence:
      'In {size} {figure} of {engines} lies more than four-fold apart in the blocks, as it does where the kernel writes pages back when it pleases: its mean is one of a mixture, and no property of the engine.',
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
  'engines.limitation': {
    when: 'the run of a size could not do something',
    sentence: 'In {sizes}: {message} {remedy}',
  },
  'engines.plan-about': {
    when: 'before a study runs, with --dry-run',
    sentence:
      '{engines}, {sizes}; in each size {blocks} of one trial of each engine: {trials} in all. Nothing has been run, compiled or written for this account.',
  },
  'engines.plan-begun': {
    when: 'the directory of the study holds a part of it',
    sentence: '{directory} holds this study: {trials} are left.',
  },
  'engines.plan-declared': {
    when: 'below the engines of a plan',
    sentence:
      'Each gets the same keys, values and sizes. What a driver sets besides (buffers, filters, threads) and promises (sync, checksums) it declares in each trial, and the report tells it.',
  },
  'engines.plan-steps': {
    when: 'below the sizes of a plan',
    sentence:
      'Each trial, in this order: load, settle, read everything back, point reads, range reads, overwrites, settle, read everything back. One that takes longer than {timeout} fails.',
  },
  'engines.plan-device': {
    when: 'a plan has a device',
    sentence:
      'Each trial has a loop device of its own of {size}. Whether devices and limits of memory can be made is tried when the study begins; here it is only looked at what stands against them.',
  },
  'engines.plan-no-device': {
    when: 'a plan has none',
    sentence: 'Trials have no device of their own: bytes are those that the kernel accounts to the process.',
  },
  'engines.plan-seed': {
    when: 'below the order of a plan',
    sentence: 'Drawn from seed {seed}, as keys and values are{given}.',
  },
  'engines.plan-drawn': {
    when: 'no seed was given',
    sentence: '; the seed was drawn for this account, and a study draws its own unless --seed or its file gives one',
  },
  'engines.plan-time': {
    when: 'an earlier study of the same text ran here',
    sentence: '{sizes}: about {time} for what is left, as in {from} on this machine; compiling is not in it.',
  },
  'engines.plan-time-unknown': {
    when: 'none did',
    sentence: '{sizes}: not known before the first block, after which the progress tells what is left.',
  },
  'engines.plan-over': {
    when: 'nothing is left to run',
    sentence: 'All has run: the same command shows what was found.',
  },
  'engines.plan-problem': {
    when: 'something would end the study at its first trial',
    sentence: 'The study would fail: {message}. {remedy}',
  },
  'engines.bar': { when: 'for each bar of a plot', sentence: '{engine}: {value}' },
} as const;
