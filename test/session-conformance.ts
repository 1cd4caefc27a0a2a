/** What every launcher must do with two subjects that work in turns, as tests that run on any of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Launcher, LaunchRequest, PlannedQuad, SessionAccount, SessionRequest } from '../src/trial/launch.ts';
import type { OpenOptions } from './launcher-conformance.ts';
import { openScene, type Scene, waitUntil } from './launcher-scene.ts';

const node = process.execPath;
const driver = (name: string) => join(import.meta.dirname, 'fixtures', 'slices', name);
/** The programs stall for ever: what takes less was ended. */
const FORCED_BELOW_NS = 40e9;
/** In which a program that can end by itself has ended, on a busy machine too; and one that would not is not waited for. */
const ENOUGH_MS = 10_000;
const SHORT_MS = 300;

/** ABBA, then BAAB, of this many quads. */
function quads(count: number, operations = 6): PlannedQuad[] {
  return Array.from({ length: count }, (_, index) => ({
    leader: index % 2 === 0 ? 0 : 1,
    operations: operations * (index + 1),
    prelude: index,
    gap_ns: index * 1000,
  }));
}

/** `all` cases; `some`: those in which launchers are most likely to differ; `few`: turns, one fault, and a cancel. */
export function describeSessions(
  name: string,
  open: (options: OpenOptions) => Promise<Launcher>,
  amount: 'all' | 'some' | 'few',
): void {
  const thorough = amount === 'all';
  const more = it.runIf(thorough);
  const some = it.runIf(amount !== 'few');
  /** All cases, or this many of them. */
  const few = <Case>(count: number, cases: readonly Case[]): readonly Case[] =>
    thorough ? cases : cases.slice(0, count);

  describe(`${name} launcher's sessions`, () => {
    let scene: Scene;
    /** One for all tests: after each it must be fit for the next. */
    let launcher: Launcher;
    let sessions = 0;
    beforeAll(async () => {
      launcher = await open({ lockPath: null, orchestratorCpu: null });
    });
    afterAll(() => launcher.close());
    beforeEach(() => {
      scene = openScene();
    });
    afterEach(() => {
      const survivors = scene.survivors();
      scene.remove();
      expect(survivors).toEqual([]);
    });

    const sums = (...args: string[]): string[] => [driver('sums.mjs'), ...args];
    const hostile = (fault: string): string[] => [driver('hostile.mjs'), fault];
    const requestOf = (
      first: readonly string[],
      second: readonly string[],
      changes: Partial<SessionRequest> = {},
      launch: Partial<LaunchRequest> = {},
    ): SessionRequest => {
      sessions += 1;
      return {
        subjects: [
          scene.request([node, ...first, '--serve'], { grace_ms: ENOUGH_MS, ...launch }),
          scene.request([node, ...second, '--serve'], { grace_ms: ENOUGH_MS, ...launch }),
        ],
        slices: join(scene.directory, `slices-${sessions}.tsv`),
        answer_timeout_ms: 20_000,
        work: { kind: 'quads', quads: quads(2) },
        ...changes,
      };
    };
    const rows = (request: SessionRequest): string[][] =>
      readFileSync(request.slices, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
    const run = async (request: SessionRequest): Promise<SessionAccount> => {
      const account = await launcher.launchSession(request);
      expect(scene.survivors()).toEqual([]);
      return account;
    };
    const outcomes = ({ subjects }: SessionAccount) => subjects.map(({ outcome }) => outcome);

    it('give both their turns as planned, and have them verify what they did', async () => {
      const request = requestOf(sums('2', '500'), sums('3'), { work: { kind: 'quads', quads: quads(3) } });
      const account = await run(request);
      expect(account.fault).toBeNull();
      expect(outcomes(account)).toEqual([
        { kind: 'exited', code: 0 },
        { kind: 'exited', code: 0 },
      ]);
      const [head, ...rest] = rows(request);
      expect(head).toEqual(['assay-slices 1']);
      expect(rest.slice(0, 2)).toEqual([
        ['ready', '0', '2', '500'],
        ['ready', '1', '3', '1000000000'],
      ]);
      const slices = rest.slice(2).map((row) => row.map(Number));
      const order = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0];
      expect(slices.map((row) => row.slice(0, 6))).toEqual(
        order.map((subject, index) => {
          const quad = Math.floor(index / 4);
          return [quad + 1, (index % 4) + 1, subject, quad * 1000, quad, 6 * (quad + 1)];
        }),
      );
      for (const [, , , , , , wall_ns, ...counts] of slices) {
        expect(wall_ns).toBeGreaterThan(0);
        expect(counts).toHaveLength(3);
        for (const count of counts) expect(count).toBeGreaterThanOrEqual(0);
      }
      for (const subject of request.subjects) {
        const { operations, checks } = JSON.parse(readFileSync(subject.stdout, 'utf8'));
        expect(operations).toBe(2 * (6 + 12 + 18 + 0 + 1 + 2));
        expect(checks.sum.ok).toBe(true);
      }
    });

    more('start the second when the first is ready, and have both alive together', async () => {
      const { subjects } = await run(requestOf(sums(), sums()));
      const [first, second] = subjects;
      expect(second.started_boot_ns).toBeGreaterThan(first.started_boot_ns);
      expect(second.started_boot_ns).toBeLessThan(first.ended_boot_ns);
      for (const { wall_ns, leftovers } of subjects) {
        expect(wall_ns).toBeGreaterThan(0);
        expect(leftovers).toBe(0);
      }
    });

    some('ramp up until a slice takes long enough, or a driver can do no more', async () => {
      const long = requestOf(sums('4'), sums('2'), { work: { kind: 'ramp', target_ns: 1e6, settle_slices: 8 } });
      expect((await run(long)).fault).toBeNull();
      const slices = rows(long)
        .slice(3)
        .map((row) => row.map(Number));
      const operations = slices.map((row) => row[5] ?? 0);
      expect(operations.slice(0, 8)).toEqual([4, 4, 4, 4, 8, 8, 8, 8]);
      const most = Math.max(...operations);
      const doubling = operations.filter((each) => each < most);
      // Twice at one number where a slice was disturbed.
      expect(new Set(doubling).size).toBe(Math.log2(most / 4));
      const last = slices.filter((row) => row[5] === most).map((row) => row[6] ?? 0);
      expect(Math.max(...last)).toBeGreaterThanOrEqual(1e6);
      const short = requestOf(sums('4', '60'), sums('4', '100'), {
        work: { kind: 'ramp', target_ns: 1e12, settle_slices: 8 },
      });
      expect((await run(short)).fault).toBeNull();
      // 2 × (4 + 8) are 24; another quad of 16 is 56; one of 32 does not fit, nor another of 16.
      expect(
        rows(short)
          .slice(3)
          .map((row) => Number(row[5])),
      ).toEqual([4, 8, 16].flatMap((each) => Array(4).fill(each)));
    });

    some('end a ramp of drivers that say that they take no time', async () => {
      const request = requestOf(hostile('timeless'), hostile('timeless'), {
        work: { kind: 'ramp', target_ns: 3e5, settle_slices: 64 },
      });
      const account = await run(request);
      // Quads of 1, 2, 4 … 2^40.
      expect(account.fault).toEqual({ subject: 0, kind: 'timeless', slice: 164, answer: '' });
      expect(outcomes(account)).toEqual([{ kind: 'exited', code: 5 }, { kind: 'abandoned' }]);
      expect(rows(request).at(-1)?.[5]).toBe(String(2 ** 40));
    });

    some('keep what a driver counts', async () => {
      const request = requestOf(hostile('good'), sums());
      await run(request);
      expect(rows(request)[3]?.slice(5)).toEqual(['6', '600', '90', '1', '2', 'cycles=7', 'enabled=9']);
    });

    some('wait for background work before the other has its turn', async () => {
      const request = requestOf(hostile('rests'), sums());
      expect((await run(request)).fault).toBeNull();
      expect(rows(request)).toHaveLength(3 + 8);
    });

    describe('faults', () => {
      const fault = async (...args: Parameters<typeof requestOf>) => {
        const request = requestOf(...args);
        const account = await run(request);
        for (const { wall_ns } of account.subjects) expect(wall_ns).toBeLessThan(FORCED_BELOW_NS);
        return { request, account, fault: account.fault, outcomes: outcomes(account) };
      };
      const abandoned = { kind: 'abandoned' };

      it.each(
        few(2, [
          ['miscount', 'miscounted', 'done 13 100 90 0 0 idle', { kind: 'exited', code: 5 }],
          ['unnumbered', 'garbage', 'done 12 1e3 90 0 0 idle', { kind: 'exited', code: 5 }],
          ['boast', 'garbage', 'done 12 60000000000 90 0 0 idle', { kind: 'exited', code: 5 }],
          ['long', 'garbage', 'x'.repeat(200), { kind: 'exited', code: 5 }],
          ['exit', 'ended', '', { kind: 'exited', code: 0 }],
        ] as const),
      )('a driver that started first, with the fault %s: %s', async (name, kind, answer, outcome) => {
        const found = await fault(hostile(name), sums());
        expect(found.fault).toEqual({ subject: 0, kind, slice: 6, answer });
        expect(found.outcomes).toEqual([outcome, abandoned]);
        expect(rows(found.request)).toHaveLength(3 + 5);
      });

      some.each(
        few(2, [
          ['garbage', 'garbage', '\u001b[31mhello', { kind: 'exited', code: 5 }],
          ['die', 'ended', '', { kind: 'signalled', signal: 'SIGKILL' }],
          ['child-die', 'ended', '', { kind: 'exited', code: 3 }],
        ] as const),
      )('a driver that started second, with the fault %s: %s', async (name, kind, answer, outcome) => {
        const found = await fault(sums(), hostile(name));
        expect(found.fault).toEqual({ subject: 1, kind, slice: 5, answer });
        expect(found.outcomes).toEqual([abandoned, outcome]);
        expect(rows(found.request)).toHaveLength(3 + 4);
      });

      it.each(few(1, ['stall', 'stubborn', 'part']))('a driver that stalls (%s) is ended', async (name) => {
        const found = await fault(hostile(name), sums(), { answer_timeout_ms: 1500 }, { grace_ms: SHORT_MS });
        expect(found.fault).toMatchObject({ subject: 0, kind: 'stalled', slice: 6 });
        expect(found.outcomes).toEqual([{ kind: 'timeout' }, abandoned]);
        expect(rows(found.request)).toHaveLength(3 + 5);
      });

      more('a driver that closes its answers and lives on', async () => {
        const found = await fault(hostile('close'), sums(), { answer_timeout_ms: 4000 }, { grace_ms: SHORT_MS });
        // GNU time, which the portable launcher puts around a subject, keeps them open.
        expect(['ended', 'stalled']).toContain(found.fault?.kind);
        expect(found.outcomes).toEqual([{ kind: 'timeout' }, abandoned]);
      });

      some.each(['twice', 'twice-apart'])('a driver that answers %s is found', async (name) => {
        const found = await fault(hostile(name), sums());
        // At once, or later: an answer too many may have been taken for that to the next request, and then that one's is too many.
        expect(found.fault).toMatchObject({ subject: 0, kind: 'unasked', answer: expect.stringMatching(/^done 12 /) });
        // By itself, at the end of its requests or at an answer that nobody reads any more.
        expect(found.outcomes).toEqual([{ kind: 'exited', code: expect.any(Number) }, abandoned]);
      });

      some('a driver that is never idle', async () => {
        const found = await fault(sums(), hostile('always-busy'), { answer_timeout_ms: 1500 });
        expect(found.fault).toMatchObject({ subject: 1, kind: 'busy', slice: 5 });
        expect(found.outcomes).toEqual([abandoned, { kind: 'timeout' }]);
      });

      some.each(
        few(1, [
          ['dead-at-once', 'ended', { kind: 'exited', code: 9 }],
          ['not-ready', 'stalled', { kind: 'timeout' }],
          ['another-version', 'garbage', { kind: 'exited', code: 5 }],
        ] as const),
      )('a driver that does not get ready: %s', async (name, kind, outcome) => {
        for (const subject of [0, 1]) {
          const pair = subject === 0 ? ([hostile(name), sums()] as const) : ([sums(), hostile(name)] as const);
          const found = await fault(...pair, { answer_timeout_ms: 2500 });
          expect(found.fault).toMatchObject({ subject, kind, slice: 0 });
          expect(found.outcomes[subject]).toEqual(outcome);
          expect(found.outcomes[1 - subject]).toEqual(abandoned);
          expect(rows(found.request)).toHaveLength(1 + subject);
          expect(existsSync(found.request.subjects[1].stdout)).toBe(subject === 1);
        }
      });

      more('a driver that is ready twice', async () => {
        const found = await fault(hostile('ready-twice'), sums());
        expect(found.fault).toMatchObject({ subject: 0, kind: 'unasked' });
      });

      some.each(
        few(1, [
          ['verify-die', 'ended', { kind: 'signalled', signal: 'SIGSEGV' }],
          ['verify-stall', 'stalled', { kind: 'timeout' }],
          ['late', 'unasked', { kind: 'exited', code: 0 }],
        ] as const),
      )('a driver that fails while it verifies: %s', async (name, kind, outcome) => {
        const found = await fault(hostile(name), sums(), { answer_timeout_ms: 2500 });
        expect(found.fault).toMatchObject({ subject: 0, kind, slice: 9 });
        expect(found.outcomes).toEqual([outcome, abandoned]);
        expect(rows(found.request)).toHaveLength(3 + 8);
      });

      some('but not a check that fails: its driver has said so', async () => {
        const found = await fault(hostile('verify-fail'), sums());
        expect(found.fault).toBeNull();
        expect(found.outcomes).toEqual([
          { kind: 'exited', code: 1 },
          { kind: 'exited', code: 0 },
        ]);
      });

      more('a child that a driver leaves is killed and counted', async () => {
        const found = await fault(hostile('child'), sums());
        expect(found.fault).toBeNull();
        expect(found.account.subjects.map(({ leftovers }) => leftovers)).toEqual([1, 0]);
      });

      more('a program that cannot be started', async () => {
        const request = requestOf(sums(), sums());
        const [first, second] = request.subjects;
        const missing: LaunchRequest = { ...second, argv: [join(scene.directory, 'missing')] };
        const account = await run({ ...request, subjects: [first, missing] });
        expect(account.fault).toMatchObject({ subject: 1, kind: 'ended', slice: 0 });
        expect(outcomes(account)).toEqual([abandoned, { kind: 'not_started', step: 'exec', code: 'ENOENT' }]);
      });

      more('limits of each subject: its time and its output', async () => {
        const late = await fault(hostile('stall'), sums(), {}, { timeout_ms: 3000 });
        expect(late.fault).toMatchObject({ subject: 0, kind: 'ended' });
        expect(late.outcomes).toEqual([{ kind: 'timeout' }, abandoned]);
        const loud = await fault(sums(), hostile('output'));
        expect(loud.fault).toMatchObject({ subject: 1, kind: 'ended' });
        expect(loud.outcomes).toEqual([abandoned, { kind: 'output_limit', stream: 'stdout' }]);
      });
    });

    it('can be cancelled, and the next one is none the worse', async () => {
      for (const stalling of few(1, [hostile('stall'), hostile('not-ready'), hostile('verify-stall')])) {
        const request = requestOf(sums(), stalling);
        const running = launcher.launchSession(request);
        await waitUntil(() => existsSync(request.subjects[1].stdout), 'the second has started');
        await new Promise((resolve) => setTimeout(resolve, 300));
        launcher.cancel();
        const account = await running;
        expect(account.fault).toBeNull();
        expect(outcomes(account)).toEqual([{ kind: 'cancelled' }, { kind: 'cancelled' }]);
        expect(scene.survivors()).toEqual([]);
      }
      expect((await run(requestOf(sums(), sums()))).fault).toBeNull();
    });

    more('end when the launcher is closed', async () => {
      const other = await open({ lockPath: null, orchestratorCpu: null });
      const request = requestOf(sums(), hostile('stubborn'), {}, { grace_ms: SHORT_MS });
      const running = other.launchSession(request);
      await waitUntil(() => existsSync(request.subjects[1].stdout), 'the second has started');
      await other.close();
      expect(outcomes(await running)).toEqual([{ kind: 'cancelled' }, { kind: 'cancelled' }]);
      expect(scene.survivors()).toEqual([]);
    });

    more('do not write over a file', async () => {
      const request = requestOf(sums(), sums());
      await run(request);
      const again = { ...requestOf(sums(), sums()), slices: request.slices };
      const account = await run(again);
      expect(outcomes(account)).toEqual([
        { kind: 'not_started', step: 'slices', code: 'EEXIST' },
        { kind: 'abandoned' },
      ]);
      expect(rows(request)).toHaveLength(3 + 8);
    });
  });
}
