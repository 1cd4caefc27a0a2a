/** Which arms' machine code is compared with which. */
import type { Experiment, SideDesign } from '../experiment/experiment.ts';

/** What an arm of a control or comparison is compared with: the first arm with itself. */
export function referenceIn({ arms, against }: Pick<SideDesign, 'arms' | 'against'>, arm: string): string {
  // An arm may have any name, `constructor` too.
  return (Object.hasOwn(against, arm) ? against[arm] : undefined) ?? arms[0];
}

/**
 * Every arm with what it is compared with: the reference in the confirmation, its own reference in a control or side
 * comparison. Each two once; arms that are one artefact are left out.
 */
export function codeContrasts({
  arms,
  design,
  reference,
  sides,
}: Experiment): readonly { readonly arm: string; readonly reference: string }[] {
  const same = new Set(arms.flatMap(({ name, source }) => (source.kind === 'same' ? [name] : [])));
  const contrasts = [
    ...design.arms.map((arm) => ({ arm, reference })),
    ...sides.flatMap((side) => side.arms.map((arm) => ({ arm, reference: referenceIn(side, arm) }))),
  ].filter((one) => one.arm !== one.reference && !same.has(one.arm));
  // Two arms the other way round say the same.
  const key = ({ arm, reference }: (typeof contrasts)[number]) => [arm, reference].sort().join(' ');
  const keys = contrasts.map(key);
  return contrasts.filter((one, at) => keys.indexOf(key(one)) === at);
}
