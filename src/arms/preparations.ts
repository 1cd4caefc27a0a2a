/** What is to be prepared: every arm that is an artefact of its own, in as many builds as the experiment asks for. */
import type { Arm, ArmSource, Experiment } from '../experiment/experiment.ts';
import { buildsOfArm } from '../plan/builds.ts';

export interface Preparation {
  /** With the source of this build. */
  readonly arm: Arm;
  /** From 0. */
  readonly build: number;
  /** Of this arm. */
  readonly builds: number;
}

/** In the order of the arms, builds of one arm together. */
export function preparationsOf(experiment: Experiment): readonly Preparation[] {
  return experiment.arms.flatMap((arm): Preparation[] => {
    if (arm.source.kind === 'same') return [];
    const builds = buildsOfArm(experiment, arm.name);
    return Array.from({ length: builds }, (_, build) => ({
      arm: { ...arm, source: sourceOfBuild(experiment, arm, build) },
      build,
      builds,
    }));
  });
}

/** A further build of a git arm is one more copy of its source, beyond those that arms of the experiment are. */
function sourceOfBuild({ arms }: Experiment, { name, source }: Arm, build: number): ArmSource {
  if (source.kind !== 'git' || build === 0) return source;
  const of = source.again?.of ?? name;
  const copies = arms.flatMap((arm) =>
    arm.source.kind === 'git' && arm.source.again?.of === of ? [arm.source.again.copy] : [],
  );
  const family = 1 + Math.max(0, ...copies);
  return { ...source, again: { of, copy: (source.again?.copy ?? 0) + build * family } };
}
