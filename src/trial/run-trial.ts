/** One trial, or both of a session: fresh directories, the subjects, their raw output, and what that output says. */
import { join } from 'node:path';
import { makeEmptyDirectory, removeTree, spaceProblem, treeBytes } from '../io/disk.ts';
import { dropPageCache } from '../io/page-cache.ts';
import type { SessionRecord, TrialLine } from '../journal/records.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import { type Pace, placesOf } from '../plan/slices.ts';
import type { LaunchRequest, SessionAccount } from './launch.ts';
import { checkRegions, launchRequest, type TrialSetting } from './launch-request.ts';
import { openMachineWatch } from './machine-watch.ts';
import { type Ended, readTrial } from './read-trial.ts';
import { keptSlices, sessionRequest, slicesAsked } from './session.ts';
import { SLICES_FILE } from './slices-file.ts';
import { openSurroundings, type Surroundings } from './surroundings/surroundings.ts';
import { rawFolder, trialFolder } from './trial-name.ts';

/** Trials that run at the same time: one, or both halves of a session in the order in which they start. */
type PlannedTrials = readonly [PlannedTrial] | readonly [PlannedTrial, PlannedTrial];

export interface TrialRunner {
  /**
   * The line of the journal; null where the user stopped it: then nothing took place.
   * @param pace of a session that is not of the warm-up
   */
  run(planned: PlannedTrials, attempt: number, pace: Pace | null): Promise<TrialLine | SessionRecord | null>;
  /** What is wrong where so many trials like the first will not fit on the disk, else null. */
  spaceProblem(trialsLeft: number): Promise<string | null>;
}

/** A trial that is about to start: where it runs, where its output is kept, within the run's directory. */
interface Start {
  readonly planned: PlannedTrial;
  readonly place: string;
  readonly raw: string;
  readonly request: LaunchRequest;
  readonly surroundings: Surroundings;
}

export function openTrialRunner(setting: TrialSetting): TrialRunner {
  const { experiment, launcher, trialsPath, runPath, seed } = setting;
  checkRegions(setting);
  const watch = openMachineWatch(experiment);
  /** Arms whose driver has told what its numbers mean, or did not: it says so in every trial. */
  const heard = new Set<string>();
  let first: { readonly trial: number; readonly raw: number } | null = null;

  async function prepare(planned: PlannedTrial, attempt: number, position: number): Promise<Start> {
    const place = join(trialsPath, trialFolder({ ...planned, position }, attempt));
    const raw = rawFolder(planned, attempt);
    // What an attempt left that was cut off by a kill is of no trial.
    await makeEmptyDirectory(place);
    await makeEmptyDirectory(join(runPath, raw));
    for (const directory of ['data', 'home', 'tmp']) await makeEmptyDirectory(join(place, directory));
    const { workload } = phaseSetting(experiment, planned.phase);
    const surroundings = await openSurroundings(workload, trialsPath, place);
    const where = { place, raw: join(runPath, raw), surroundings };
    return { planned, place, raw, request: launchRequest(setting, planned, attempt, where), surroundings };
  }

  /** One after the other: the directories of the first are there before those of the second. */
  async function prepareAll(planned: PlannedTrials, attempt: number): Promise<readonly Start[]> {
    const [one, other] = planned;
    if (other === undefined) return [await prepare(one, attempt, one.position)];
    const [place, otherPlace] = placesOf(experiment, seed, { ...one, attempt });
    return [await prepare(one, attempt, place), await prepare(other, attempt, otherPlace)];
  }

  async function launch(starts: readonly Start[], attempt: number, pace: Pace | null): Promise<readonly Ended[]> {
    const [one, other] = starts;
    if (one === undefined) return [];
    if (other === undefined) return [{ ...one, attempt, account: await launcher.launch(one.request), half: null }];
    const { slices } = phaseSetting(experiment, one.planned.phase);
    if (slices === null) throw new Error(`there are no sessions in ${one.planned.phase}`);
    const requests = [one.request, other.request] as const;
    const file = join(runPath, one.raw, SLICES_FILE);
    const request = sessionRequest(setting, slices, { ...one.planned, attempt }, pace, requests, file);
    const { subjects, fault }: SessionAccount = await launcher.launchSession(request);
    const known = { slices: keptSlices(runPath, one.raw), fault, asked: slicesAsked(request) };
    return [
      { ...one, attempt, account: subjects[0], half: { ...known, subject: 0 } },
      { ...other, attempt, account: subjects[1], half: { ...known, subject: 1 } },
    ];
  }

  function read(ended: Ended): Omit<TrialLine, 'noise' | 'state'> {
    const line = readTrial(setting, ended, !heard.has(ended.planned.arm));
    heard.add(ended.planned.arm);
    return line;
  }

  /** What the first block left on the disk, for one trial. */
  async function measure(starts: readonly Start[]): Promise<void> {
    if (first !== null) return;
    let [trial, raw] = [0, 0];
    for (const start of starts) {
      trial += (await treeBytes(start.place)) / starts.length;
      raw += (await treeBytes(join(runPath, start.raw))) / starts.length;
    }
    first = { trial: Math.ceil(trial), raw: Math.ceil(raw) };
  }

  return {
    async spaceProblem(trialsLeft) {
      if (first === null) return null;
      const kept = first.raw + (setting.keep ? first.trial : 0);
      return await spaceProblem(trialsPath, first.trial, trialsLeft, kept);
    },
    async run(planned, attempt, pace) {
      const starts = await prepareAll(planned, attempt);
      if (phaseSetting(experiment, planned[0].phase).workload.drop_caches) await dropPageCache();
      await watch.before(planned);
      const ended = await launch(starts, attempt, pace);
      const seen = watch.after(
        planned,
        ended.map(({ account }) => account),
      );
      const cancelled = ended.some(({ account }) => account.outcome.kind === 'cancelled');
      const lines = cancelled ? [] : ended.map((each, index) => ({ ...read(each), ...seen[index] }) as TrialLine);
      await measure(starts);
      for (const { place, raw, surroundings } of starts) {
        await surroundings.close();
        if (!setting.keep) await removeTree(place);
        if (cancelled) await removeTree(join(runPath, raw));
      }
      const [one, other] = lines;
      if (one === undefined || other === undefined) return one ?? null;
      return { kind: 'session', trials: [one, other], slices: ended[0]?.half?.slices ?? null };
    },
  };
}
