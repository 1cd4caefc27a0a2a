/**
 * What a report on a write path must tell: the facts that engineers put into the reports that they publish, one by one, each found
 * in report.md of one run that has them all, or the reason why it is not there.
 */
import { describe, expect, test } from 'vitest';
import { analyse } from '../src/analysis/analyse.ts';
import type { Journal } from '../src/journal/records.ts';
import { FORMATS } from '../src/report/formats.ts';
import { constructionRun, virtualRun, writeRun } from './published-runs.ts';
import { SLICE_CASES } from './report-cases-slices.ts';

function reportOf(journal: Journal): string {
  const input = {
    ...{ journal, analysis: analyse(journal), directory: null },
    options: { color: false, quiet: false, width: 120 },
  };
  // A line break within a paragraph is a space to a reader.
  return FORMATS.markdown(input)
    .replace(/`/g, '')
    .replace(/\\(?=[^\w])/g, '');
}

type Fact = readonly [fact: string, found: RegExp];

/** A change with its interval, as reports print them. */
const CHANGE = String.raw`[+-]\d+\.\d+ % \[[+-]\d+\.\d+ %, [+-]\d+\.\d+ %\]`;

const WRITE: readonly Fact[] = [
  // Title.
  ['finding in the title', new RegExp(`^# write is slower in after than in before: ${CHANGE} \\(`)],
  ['constructed, in the title', /^# .*\(constructed workload, /],
  ['one machine and these binaries, in the title', /^# .*one machine, these two binaries\)/],
  // Environment and measurement.
  [
    'processors: model, sockets, cores, logical CPUs',
    /\| CPU \| Example Server CPU 6400, 2 sockets, 64 cores, 128 CPUs \|/,
  ],
  ['system and kernel', /\| system \| Example Linux 12, linux 6\.1\.0-18-amd64, x64 \|/],
  ['C library', /\| C library \| glibc 2\.36 \|/],
  ['compiler and its version', /compiler_version: g\+\+-11 \(Ubuntu 11\.4\.0/],
  ['file system of the data directories', /\| file system of the trials \| ext4 \|/],
  [
    'storage device: kind, model, size',
    /\| storage device \| NVMe, model Example SSD 980, size 932 GiB, rotational as the system says: no \|/,
  ],
  ['CPU of the measured thread', /pinned to CPU 17/],
  ['CPU of the orchestrator', /Assay on CPU 13/],
  ['governor', /\| frequency governor \| performance \|/],
  ['turbo', /\| turbo \| yes \|/],
  ['memory', /\| memory \| 4\d\d GiB \|/],
  ['a shared host: what else was running, by name', /Other processes kept 1 CPU busy.*most of all fanctl/],
  [
    'build command of the library, of both',
    /- What all arms have in common\n[\s\S]*build: make -C \$SOURCE -j32 static_lib DEBUG_LEVEL=0[\s\S]*\n- before \(reference\)\n/,
  ],
  ['optimisation level and flags of the program', /compile_command: .*-O3 -DNDEBUG -fno-rtti -std=c\+\+17/],
  ['version by which the library calls itself', /library_version: 10\.2\.0/],
  ['not a claim on all releases of that version', /These revisions were tested: nothing is said of all releases/],
  // Design.
  [
    'screening first, and not pooled',
    /4 screening pairs before the confirmation, for planning; none of them is part of the numbers/,
  ],
  ['number of pairs of the confirmation', /16 of 16 planned pairs/],
  [
    'serial, both orders, balanced',
    /processes run one after the other; which arm goes first is drawn from seed \d+, for half of the planned pairs each/,
  ],
  ['a fresh database in each trial', /\$RUN is a fresh and empty directory/],
  ['arithmetic means', /Values are arithmetic means/],
  ['geometric means of paired ratios', /a change is the geometric mean of the ratios within pairs/],
  ['two-sided 95 % t interval on log ratios', /two-sided 95 % Student t intervals on the logarithms of the ratios/],
  ['within-host, not across machines', /within-host.*It does not cover other machines/],
  ['all pairs are attached', /\| pairs\.csv \| every pair that a change rests on/],
  // Workload and results.
  ['revision before', /before \(reference\) is 4f2e1d0c \(4f2e1d0c9b8a\)/],
  ['revision after', /after is 5e3d1c0a \(5e3d1c0a9b8f\)/],
  [
    'full commits',
    /commit: 4f2e1d0c9b8a79685746352413029f8e7d6c5b4a[\s\S]*commit: 5e3d1c0a9b8f7e6d5c4b3a2918070605f4e3d2c1/,
  ],
  ['subject of the commit', /subject: Keep the size of the WAL/],
  [
    'the workload and its parameters',
    /Workload: .*write-manual-wal[\s\S]*Parameters: .*writes = 2097152.*batches = 1024/,
  ],
  ['constructed, in words', /The workload is constructed for the purpose/],
  [
    'timed: the writes and the final flush of the WAL',
    /Timed, as the driver says: 2,097,152 writes and a final FlushWAL\(false\)/,
  ],
  ['not timed', /Not: building the batches, FlushWAL\(true\), closing and reopening, recovery, verification/],
  ['no claim about synchronous writes', /not a claim about: .*writes with sync = true/],
  [
    'means of both versions',
    /\| write \*\* ?\\?\*? \| \d+\.\d+ ns\/op \| \d+\.\d+ ns\/op \||\| \*\*write\*\* \* \| \d+\.\d+ ns\/op \| \d+\.\d+ ns\/op \|/,
  ],
  ['n of n pairs, for the time', /write is slower: .*, 16 of 16 pairs/],
  [
    'n of n pairs, for the cycles',
    /cycles: about \+\d+ cycles an operation \(difference of the means\), in 16 of 16 pairs/,
  ],
  ['instructions per write', /instructions: about \+7 instructions an operation \(difference of the means\)/],
  ['cycles per write', /cycles: about \+2\d cycles an operation/],
  ['misses without a consistent increase', /\| cache_misses \|.*\| inconclusive/],
  ['smallest and largest pair', /write: smallest pair [+-]\d+\.\d+ %, largest pair [+-]\d+\.\d+ %/],
  ['as throughput', /write: smallest pair .*; as throughput -\d+\.\d+ %/],
  // Counters.
  [
    'counted on the measured thread, around the timed region',
    /Hardware counters of the measured thread in the timed region/,
  ],
  ['without kernel and hypervisor', /user space only/],
  ['rejection below 99 % of the time', /rules that stood before the run: time that the counters ran below 99 %/],
  ['counters disabled: a control', /\| uncounted \| no counters \| after against before \| write \|/],
  ['counters disabled: its effect', new RegExp(`Without counters write of after against before changes by ${CHANGE}`)],
  [
    'ten balanced blocks of five versions',
    /10 of 10 planned blocks of five arms beside the confirmation, in balanced positions/,
  ],
  ['the blocks with counters disabled', /in balanced positions \(Williams squares\), counters disabled/],
  ['the blocks with counters enabled', /in balanced positions \(Williams squares\), hardware counters enabled/],
  [
    'the stock comparison in them: 20 trials, no adjacent pairs, not pooled',
    /comparison of the confirmation within these blocks \(20 trials\)\. They are no adjacent pairs, and not pooled/,
  ],
  ['slower in all ten blocks', /\| after \| before \|.*\| 10 up, 0 down \| slower \|/],
  // Checks.
  ['status of every write', /statuses: 2097152 ok, in each of \d+ trials/],
  ['entries of the memtable, exactly', /entries: 2097152, in each of \d+ trials/],
  ['sequence number', /sequence: 2097152, in each of \d+ trials/],
  ['no immutable memtable', /no_immutable_memtable: 0, in each of \d+ trials/],
  ['all keys and values', /contents: 1024 of 1024 keys, in each of \d+ trials/],
  ['size of the WAL, the same in every trial', /wal_bytes: 67108864, in each of \d+ trials/],
  [
    'closed without flush, reopened, checked again',
    /reopened: 1024 of 1024 keys, sequence 2097152, in each of \d+ trials/,
  ],
  ['no flush while timed', /no_flush: 0 flushes, in each of \d+ trials/],
  // Attribution.
  [
    'an ablation without support in time',
    new RegExp(
      `Without the part that no-size removes, write changes by ${CHANGE} against rebuilt, which is inconclusive`,
    ),
  ],
  [
    'an ablation that removes instructions',
    /Without the part that no-size removes, instructions is better \(fewer instructions\)/,
  ],
  [
    'an ablation with support in cycles',
    /Without the part that no-publish removes, .*cycles is better \(fewer cycles\): .* \(against rebuilt\)\. That supports a contribution of this part to the change of .*cycles/,
  ],
  ['what removing this part does, by metric', /What removing this part does, against rebuilt:/],
  ['a no-change rebuild as reference', /rebuilt is 5e3d1c0a .*prepared again from the source of after/],
  ['its .text is identical', /rebuilt and after: the machine code \(\.text\) is the same/],
  ['its object files are identical', /rebuilt and after: all object files have the same machine code \(347 of each/],
  ['which object files differ', /2 of 347 object files of the libraries differ .*: db_impl_write\.o, log_writer\.o\./],
  ['which functions differ', /\| rocksdb::DBImpl::WriteToWAL.*\| 2400 B \| 2512 B \|/],
  ['disassembly of them', /Both disassemblies side by side, without addresses: 2 files/],
  ['unresolved remainder', new RegExp(`Unresolved remainder of write: ${CHANGE}`)],
  ['diagnostic arms change the layout', /A diagnostic arm also changes the layout of the code/],
  ['they may change failure semantics', /A diagnostic arm may change what happens when something fails/],
  [
    'they are no fixes, and in no estimate',
    /A diagnostic arm is no proposed fix, and no estimate of the confirmation rests on one/,
  ],
  // Commands.
  ['a single trial with counters', /env .*ASSAY_COUNTERS=hardware taskset -c 17 "\$DRIVER" write-manual-wal/],
  [
    'a single trial without',
    /after in uncounted[^\n]*:\n\n[^\n]*\n[^\n]*env LC_ALL=C TZ=UTC taskset -c 17 "\$DRIVER" write-manual-wal/,
  ],
  ['how the program is compiled', /\$DRIVER is the driver of the arm, as the compile_command under Arms/],
  ['rebuilding elsewhere gives other binaries', /does not cover other machines, new builds of the same sources/],
  // Attachments.
  ['source of the tested program and its headers', /\| drivers\/ \| source of the driver and headers of the library/],
  ['all trial records', /\| raw\/ \| output, command and account of every trial/],
  ['trials, all of them', /\| trials\.csv \| each of the \d+ trials/],
  ['recalculated statistics', /\| verification\.json, manifest\.json \| published figures beside those computed again/],
  ['provenance and environment', /\| environment\.json, provenance\.json \|/],
  ['checksums', /size and SHA-256 of every file/],
  [
    'difference of the two commits',
    /\| arms\/after\/from-before\.diff \| what differs between the sources of before and after: 3 files, 41 lines added, 7 lines removed \|/,
  ],
  ['patches and build logs', /\| arms\/ \| lock files, patches and logs of builds/],
  ['metadata of the build', /\| arms\/…\/library\.json \| .*; 2 files of metadata of its build beside it \|/],
  ['no databases and binaries', /Not among them: databases; executables and libraries, unless `?assay bundle --with/],
  ['no sampled profiles', /No sampled profiles were collected/],
  ['digests of what was executed', /\{arm\.driver\}, \d+ bytes, SHA-256 [0-9a-f]{64}/],
];

const CONSTRUCTION: readonly Fact[] = [
  [
    'finding in the title',
    new RegExp(`^# construct is slower in after than in before: ${CHANGE} \\(constructed workload, one machine`),
  ],
  ['date of the measurements', /\| started \| 2024-01-02/],
  ['slower in every pair', /construct is slower: .*, 16 of 16 pairs/],
  ['every pair exceeds 3 %', /construct: smallest pair \+3\.\d+ %/],
  ['change of throughput', /construct: smallest pair .*; as throughput -3\.\d+ %/],
  ['parameters: families, keys, batch, value', /families = 20, keys = 2000000, batch = 256, value_bytes = 16/],
  [
    'timed: batch allocation, insertion, retaining',
    /Timed, as the driver says: allocating batches, Put with an explicit handle, and keeping the batches/,
  ],
  ['not timed', /Not: making keys, creating families, DB::Write, destruction, verification/],
  ['no claim about whole writes', /not a claim about: complete database writes/],
  [
    'whole writes beside it: a smaller change',
    /Beside the confirmation: full-writes[\s\S]*\| after \| before \| .*\| slower \|/,
  ],
  ['sequence number rises by exactly the keys', /sequence: 2000000, in each of 32 trials/],
  [
    'every key verified, and again after reopening',
    /contents: 2000000 of 2000000, in each of 32 trials[\s\S]*reopened: 2000000 of 2000000, in each of 32 trials/,
  ],
  [
    'no ablation: nothing is attributed',
    /No part was taken out to see what it does: of what makes the difference nothing is said/,
  ],
  ['no controls: said so', /## Controls\n\nNone was run\./],
  ['single trial', /taskset -c 17 "\$DRIVER" write-batch-construct/],
  ['a fresh directory', /\$RUN is a fresh and empty directory/],
  ['the metric is what the driver prints, not the whole process', /Timed, as the driver says/],
];

const SESSIONS: readonly Fact[] = [
  ['the unit is the session', /8 of 8 planned sessions\. In each, two processes, one of each arm, live side by side/],
  [
    'quads by a coin from the seed',
    /quads ABBA or BAAB by a coin drawn from seed \d+, of as many operations for each arm/,
  ],
  ['typical slice', /write is slower by more than 1 %: \+2\.\d+ % .*, 8 of 8 sessions/],
  ['total, with rare expensive slices', /all that the arms took .*, rare expensive slices with it, changed by \+\d/],
  [
    'variance within and between sessions',
    /the effect of a session spreads by 0\.\d+ % from session to session, and by 0\.\d+ % from the noise of the slices within/,
  ],
  ['set-up of a session', /60 quads a session, a slice of \d+ µs, set-up and verification \d+ ms a session/],
  [
    'what more or longer sessions would buy',
    /twice as many sessions would make that about .*, sessions twice as long about /,
  ],
  ['the best length of a session', /in a given time, sessions of about \d+ quads would give the narrowest interval/],
  ['rare expensive slices as a metric', /\| stalls \| .* slices \| .* \| worse \(higher\)/],
  ['what is timed', /Times of slices are those of the operations that a driver was asked for/],
  ['controls in sessions of their own', /Controls ran after the confirmation, in sessions of their own/],
  ['a process alone is no session', /In a session it is started with --serve at the end/],
  [
    'every session is attached, with its total',
    /\| every session that a change rests on, .*, of slices also that of the total/,
  ],
];

const SEQUENTIAL: readonly Fact[] = [
  ['sequential, in the first lines', /95 % confidence sequences over pairs of fresh processes, looked at as they came/],
  [
    'sequential, with its limits',
    /The run was sequential: from 6 pairs on it was looked at .*, at most until 40 pairs/,
  ],
  ['why it ended', /ended after \d+ pairs of 40 at most, when every primary metric was decided/],
  [
    'what the intervals are',
    /confidence sequences \(anytime-valid t, c² = 1\).* wider than intervals of a fixed number of pairs/,
  ],
  [
    'the sequence',
    /## Look by look[\s\S]*\| pairs \| change \| 95 % sequence \|[\s\S]*\| 6 \| \+3\.8 % \| \[-1\.9 %, /,
  ],
  [
    'the last look is the result',
    /write is slower by more than 1 %: (\S+ %) (\[.*?\])[\s\S]*\n\| 22 \| \1 \| \2 \|\n\n/,
  ],
];

describe('a report on the write path', () => {
  const report = reportOf(writeRun());
  test.each(WRITE)('%s', (_, found) => expect(report).toMatch(found));

  test('says nothing of causes outside of ablations', () => {
    const [before = '', , after = ''] = report.split(/(## Beside the confirmation[\s\S]*?## Attribution)/);
    expect(before + after).not.toMatch(/\bcaus|contribut|because of|due to|signific|optimal|no visible difference/i);
  });
});

describe('a report on the construction of batches', () => {
  const report = reportOf(constructionRun());
  test.each(CONSTRUCTION)('%s', (_, found) => expect(report).toMatch(found));
});

describe('a report on sessions', () => {
  const report = reportOf(SLICE_CASES.sessions());
  test.each(SESSIONS)('%s', (_, found) => expect(report).toMatch(found));

  test('has no pairs, and no trials one after the other', () => {
    expect(report.replaceAll('pairs.csv', '')).not.toMatch(/\bpairs?\b|one after the other/i);
  });
});

describe('a report on a sequential run', () => {
  const report = reportOf(SLICE_CASES.sequential());
  test.each(SEQUENTIAL)('%s', (_, found) => expect(report).toMatch(found));

  test('of sessions that went on to its end says so, and has no pairs', () => {
    const sessions = reportOf(SLICE_CASES['sequential-sessions']());
    expect(sessions).toMatch(
      /no look decided every primary metric before the last one, after 12 sessions of 12 at most/,
    );
    expect(sessions.replaceAll('pairs.csv', '')).not.toMatch(/\bpairs?\b|one after the other/i);
  });
});

describe('on a virtual machine', () => {
  const report = reportOf(virtualRun());

  test('the reason why there are no counters stands in their place', () => {
    expect(report).toMatch(/\| virtual machine \| yes \|/);
    expect(report).toMatch(
      /Hardware counters: not available: this machine has no hardware counter for cycles \(ENOENT\)/,
    );
    expect(report).not.toMatch(/instructions: about/);
  });
});
