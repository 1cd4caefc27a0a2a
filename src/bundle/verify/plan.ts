/** Whether the trials are those that were planned, in their order, and no others; and which of them count. */
import type { Analysis } from '../../analysis/analysis.ts';
import { progressOf } from '../../analysis/stopping.ts';
import { canonicalJson } from '../../experiment/canonical.ts';
import type { Journal, TrialRecord } from '../../journal/records.ts';
import type { Attempts } from '../../plan/attempts.ts';
import { makePlan, plannedTrials } from '../../plan/plan.ts';
import { isGap } from '../../plan/progress.ts';
import { rejectionsOf } from '../../plan/rejection.ts';
import { paceOf, quadsOf } from '../../plan/slices.ts';
import { type Answer, failed, verified } from './answer.ts';
import { courseFault } from './course.ts';

/** The plan is made again of experiment and seed; every trial must have been due when it ran. */
export function planAnswer(journal: Journal): Answer {
  const { experiment, plan, imported } = journal.run;
  if (imported !== null) return importedAnswer(journal);
  if (experiment.design.seed !== null && experiment.design.seed !== plan.seed) {
    return failed('plan', `the seed is ${plan.seed}, that of the experiment ${experiment.design.seed}`);
  }
  const { seed } = plan;
  if (seed === null || canonicalJson(makePlan(experiment, seed)) !== canonicalJson(plan)) {
    return failed('plan', 'the recorded plan is not the one that experiment and seed give');
  }
  const progress = progressOf(journal);
  const [stray] = progress.strays();
  if (stray !== undefined) {
    return failed(
      'plan',
      `${stray.phase} block ${stray.block}, position ${stray.position}, arm ${stray.arm}, attempt ${stray.attempt} was not due`,
    );
  }
  // What ends an attempt that was cut off is known once the next trial is asked for.
  const isOver = progress.next().kind === 'done';
  const fault = interruptionFault(journal, progress.attempts());
  if (fault !== null) return failed('plan', fault);
  const drawn = slicesFault(journal);
  if (drawn !== null) return failed('plan', drawn);
  if (journal.end?.reason.kind === 'complete' && !isOver) {
    return failed('plan', 'the run says that it is complete, but trials of the plan are missing');
  }
  const course = courseFault(journal);
  if (course !== null) return failed('plan', course);
  const planned = plannedTrials(plan).length;
  const { length } = journal.trials;
  return verified(
    'plan',
    `${length} trials in the order that experiment and seed ${plan.seed} give, ${planned} planned${isOver ? '' : ', not all of them run'}; none before the start of the run or after its end`,
  );
}

/** Nothing was planned: repetitions are paired as the files have them, which is a question of the trials. */
function importedAnswer(journal: Journal): Answer {
  const progress = progressOf(journal);
  const { length } = journal.trials;
  if (progress.strays().length > 0 || progress.next().kind !== 'done') {
    return failed('plan', `the ${length} repetitions of the journal are not its pairs`);
  }
  const course = courseFault(journal);
  if (course !== null) return failed('plan', course);
  return verified('plan', `${length} repetitions, paired in the order of the files: nothing was planned or drawn`);
}

/** The quads of every session must be those that seed and warm-up give; of one that failed, the first of them. */
function slicesFault(journal: Journal): string | null {
  const { experiment, plan } = journal.run;
  const { slices } = experiment.design;
  const { seed } = plan;
  if (slices === null || seed === null) {
    const session = journal.trials.find((trial) => trial.session !== null);
    return session === undefined ? null : `${placeOf(session)} has slices, and the experiment asks for none`;
  }
  const pace = paceOf(slices, journal.trials);
  for (const trial of journal.trials) {
    const { phase, session, position } = trial;
    if (phase === 'counting' && session !== null) return `${placeOf(trial)} is counted, and has slices`;
    if (phase === 'counting' || phase === 'warmup') continue;
    if (session === null) {
      if (trial.failure === null && trial.account?.outcome.kind !== 'abandoned')
        return `${placeOf(trial)} has no slices`;
      continue;
    }
    if (position !== 1) continue;
    if (pace === null) return `${placeOf(trial)} has slices, and no session of the warm-up says how long they are`;
    const quads = quadsOf(experiment, slices, seed, trial, pace);
    const wrong = session.leader.findIndex((leader, quad) => {
      const drawn = quads[quad];
      const { operations, prelude, gap_ns } = session;
      const is = { leader, operations: operations[quad], prelude: prelude[quad], gap_ns: gap_ns[quad] };
      return drawn === undefined || canonicalJson(drawn) !== canonicalJson(is);
    });
    if (wrong !== -1) return `quad ${wrong + 1} of ${placeOf(trial)} is not the one that seed and warm-up give`;
    if (session.leader.length < quads.length && !isCut(journal, trial)) {
      return `${placeOf(trial)} has ${session.leader.length} quads of ${quads.length}, and nothing cut it off`;
    }
  }
  return null;
}

/** Whether a half of the trial's session failed. */
function isCut(journal: Journal, { phase, block, attempt }: TrialRecord): boolean {
  return journal.trials.some(
    (each) => each.phase === phase && each.block === block && each.attempt === attempt && each.failure !== null,
  );
}

function placeOf({ phase, block, position, attempt }: TrialRecord): string {
  return `${phase} block ${block}, position ${position}, attempt ${attempt}`;
}

/** An interruption takes a block out of the count: each needs its cause. */
function interruptionFault(journal: Journal, attempts: Attempts): string | null {
  const { max_gap_ms, slices } = journal.run.experiment.design;
  let resumed = 0;
  const seen = new Set<string>();
  for (const { phase, block, attempt, reason } of journal.interruptions) {
    const at = `the interruption of ${phase} block ${block}, attempt ${attempt}`;
    if (seen.has(`${phase} ${block} ${attempt}`)) return `${at} is there twice`;
    seen.add(`${phase} ${block} ${attempt}`);
    const cut = [...attempts].find((one) => one.phase === phase && one.block === block && one.attempt === attempt);
    if (cut?.outcome !== 'interrupted') return `${at} is of no trial that was interrupted`;
    const gap = cut.trials.some((trial, place) => {
      const before = cut.trials[place - 1];
      return before !== undefined && slices === null && isGap(before, trial, max_gap_ms);
    });
    if (reason === 'gap' && !gap) return `${at} has no cause: its trials do not lie too far apart`;
    if (reason === 'resumed') resumed += 1;
  }
  const { length } = journal.resumptions;
  return resumed > length ? `${resumed} blocks were interrupted by ${length} resumptions` : null;
}

const COUNTED_NOWHERE = ['warmup', 'screening', 'counting'] as const;
const PHASE_NAMES = { warmup: 'warm-up', screening: 'screening', counting: 'counting instructions' } as const;

/** No trial of the warm-up or the screening may count, and none of a control or side comparison with the confirmation. */
export function screeningAnswer(journal: Journal, { trials, comparisons }: Analysis): Answer {
  const pooled = trials.find(({ phase, included }) => included && COUNTED_NOWHERE.some((name) => name === phase));
  if (pooled !== undefined) return failed('screening', `a trial of the ${pooled.phase} is counted`);
  const attempts = progressOf(journal).attempts();
  const complete = attempts.filter(({ phase, outcome }) => phase === 'confirmation' && outcome === 'complete').length;
  const more = comparisons.find(({ pairs }) => pairs > complete);
  if (more !== undefined) {
    return failed('screening', `${more.metric} rests on ${more.pairs} pairs, of which ${complete} were confirmed`);
  }
  const apart = COUNTED_NOWHERE.flatMap((name) => {
    const count = trials.filter(({ phase }) => phase === name).length;
    return count === 0 ? [] : [`${count} of ${PHASE_NAMES[name]}`];
  });
  return verified(
    'screening',
    apart.length === 0 ? 'there was none' : `trials that count nowhere: ${apart.join(', ')}`,
  );
}

/** What was rejected, and only that, breaks a rule of the first line. */
export function rejectionsAnswer(journal: Journal, { trials }: Analysis): Answer {
  const { rules, max_repeats } = journal.run.experiment.reject;
  const attempts = progressOf(journal).attempts();
  let rejected = 0;
  const counted = new Set(trials.filter(({ included }) => included).map(keyOf));
  for (const attempt of attempts) {
    const breaks = attempt.trials.filter((trial) => rejectionsOf(trial, rules).length > 0);
    rejected += breaks.length;
    if (breaks.length > 0 && attempt.trials.some((trial) => counted.has(keyOf(trial)))) {
      return failed('rejections', `block ${attempt.block}, attempt ${attempt.attempt} counts, though it breaks a rule`);
    }
    if (attempt.outcome === 'rejected' && breaks.length === 0) {
      return failed('rejections', `block ${attempt.block}, attempt ${attempt.attempt} was rejected without a rule`);
    }
  }
  if (rules.length === 0) return verified('rejections', 'the experiment has no rules, and nothing was rejected');
  return verified(
    'rejections',
    `${rejected} trials rejected, each by one of ${rules.length} rules that were set before the run; a block at most ${max_repeats} times. What the machine did meanwhile is the word of the journal`,
  );
}

function keyOf(trial: {
  readonly phase: string;
  readonly block: number;
  readonly attempt: number;
  readonly arm: string;
}) {
  return `${trial.phase} ${trial.block} ${trial.attempt} ${trial.arm}`;
}
