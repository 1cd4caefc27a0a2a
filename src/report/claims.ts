/** What drivers say of their own workloads: what is timed, and what the numbers are no claim about. */
import type { DriverWording } from '../journal/records.ts';
import type { ReportInput } from './input.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

interface Claims {
  readonly timed: readonly string[];
  readonly not_about: readonly string[];
}

/** What the driver of each arm said first, in the order of the arms; arms of which nothing was heard are left out. */
export function wordingByArm({
  analysis,
  journal,
}: ReportInput): readonly { readonly arm: string; readonly wording: DriverWording }[] {
  return analysis.arms.flatMap((arm) => {
    const wording = journal.trials.find((trial) => trial.arm === arm && trial.wording !== null)?.wording;
    return wording == null ? [] : [{ arm, wording }];
  });
}

/** One sentence where all arms say the same, else one an arm. */
export function claimsOf(input: ReportInput, escaping: Escaping): Claims {
  const heard = wordingByArm(input);
  const sentences = (
    tell: (wording: DriverWording) => string | null,
    all: (what: string) => string,
    one: (arm: string, what: string) => string,
  ): readonly string[] => {
    const told = heard.flatMap(({ arm, wording }) => {
      const what = tell(wording);
      return what === null ? [] : [{ arm: escaping.name(arm), what: escaping.prose(what).replace(/\.$/, '') }];
    });
    const [first] = told;
    if (first === undefined) return [];
    const alike = told.length === input.analysis.arms.length && told.every(({ what }) => what === first.what);
    return alike ? [all(first.what)] : told.map(({ arm, what }) => one(arm, what));
  };
  return {
    timed: sentences(
      ({ timed }) => timed,
      (what) => say('basis.timed', { what }),
      (arm, what) => say('basis.timed-arm', { arm, what }),
    ),
    not_about: sentences(
      ({ not_a_claim_about: claims }) => (claims.length === 0 ? null : claims.join('; ')),
      (what) => say('basis.no-claim', { what }),
      (arm, what) => say('basis.no-claim-arm', { arm, what }),
    ),
  };
}
