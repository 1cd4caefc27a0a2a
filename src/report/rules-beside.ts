/** Sentences on what stands beside the confirmation: controls, other comparisons, checks, and what is attached. */
export const BESIDE_RULES = {
  'checks.same': { when: 'a check found the same in all trials', sentence: '{check}: {detail}, in each of {trials}.' },
  'checks.various': {
    when: 'a check passed in all trials that made it, and not with the same value',
    sentence: '{check}: in each of {trials}; what it found has {values} different values.',
  },
  'checks.passed': {
    when: 'a check has nothing to tell but that it passed',
    sentence: '{check}: in each of {trials}.',
  },
  'workload.driver': {
    when: 'a driver applies the workload',
    sentence: 'Workload: {command}, applied by the driver for {engine}.',
  },
  'workload.command': { when: 'the workload is one command for all arms', sentence: 'Workload: {command}.' },
  'workload.params': { when: 'the workload has parameters', sentence: 'Parameters: {params}.' },
  'workload.arm-params': { when: 'an arm has parameters of its own', sentence: 'Of {arm}: {params}.' },
  'control.absent': {
    when: 'the experiment has no control',
    sentence:
      'None was run. How far a rebuild of the same source moves the result, and whether this machine finds differences between two copies of one program, is not known.',
  },
  'control.absent-imported': {
    when: 'results were imported',
    sentence:
      'None was imported. How far a rebuild of the same source moves the result, and whether the machine finds differences between two copies of one program, is not known.',
  },
  'control.absent-same': {
    when: 'the run is the A/A part of a calibration, which has no control',
    sentence:
      'None was run: the run itself sets two copies of one program beside each other. How far a rebuild of the same source moves the result is not known.',
  },
  'attribution.none': {
    when: 'there is no ablation',
    sentence: 'No part was taken out to see what it does: of what makes the difference nothing is said here.',
  },
  'attachments.bundle': {
    when: 'always',
    sentence:
      'They lie in the directory of the run. {bundle} packs them into one archive, with this report; {verify} computes all figures again from the raw output in it.',
  },
  'attachments.absent': {
    when: 'as attachments.imported, of any other run',
    sentence:
      'Not among them: databases; executables and libraries, unless {command} packs them. Digests of what was executed stand under Arms. No sampled profiles were collected.',
  },
  'attachments.imported': {
    when: 'results were imported',
    sentence: 'Not among them: what was measured, and its databases. Assay executed nothing.',
  },
  'attachments.diff': {
    when: 'two arms are revisions of one repository, and their sources differ',
    sentence: 'what differs between the sources of {reference} and {arm}: {files}, {added} added, {removed} removed',
  },
  'attachments.diff-cut': {
    when: 'as attachments.diff, where the diff is longer than is kept',
    sentence: '; the first {kept} of {bytes} of it',
  },
  'attachments.no-diff': {
    when: 'arms are revisions of git, and their sources could not be compared',
    sentence: 'What differs between the sources of {reference} and {arm} is not among them: {why}.',
  },
  'attachments.same-sources': {
    when: 'two arms are revisions of one repository, and their sources are the same',
    sentence: 'The sources of {reference} and {arm} are the same before their builds.',
  },
  'control.rule': {
    when: 'a control was tested',
    sentence:
      'A control passes where its interval includes zero. It stands at its step of the Holm procedure over all that is tested in controls, at 1 %. A control that passed rules out what lies beyond its interval, and nothing smaller.',
  },
  'control.what-same': { when: 'the kind of a control whose sides are one artefact', sentence: 'A/A' },
  'control.what-rebuild': { when: 'of one that is the same source built again', sentence: 'rebuild' },
  'control.what-uncounted': {
    when: 'of one that compares the effects with and without counters',
    sentence: 'no counters',
  },
  'control.what-unchanged': { when: 'of work that the change cannot have touched', sentence: 'other work' },
  'control.what-metric': { when: 'of a metric that the change cannot have touched', sentence: 'other metric' },
  'control.apart': {
    when: 'a control has trials of its own',
    sentence: 'Controls ran after the confirmation, in {blocks} of their own. Nothing of them is pooled with it.',
  },
  'control.absent-rebuild': {
    when: 'the experiment has no control, and a rebuild is compared beside the confirmation',
    sentence: 'None was run as a control. A rebuild is compared beside the confirmation, below.',
  },
  'control.cell-passed': { when: 'the interval of a control includes zero', sentence: 'passed' },
  'control.cell-failed': { when: 'the interval of a control excludes zero', sentence: 'failed' },
  'control.cell-uninformative': { when: 'a control could not have seen what is claimed', sentence: 'says nothing' },
  'control.cell-floor': { when: 'a rebuild of other machine code', sentence: 'layout floor {floor}' },
  'control.cell-shown': { when: 'a metric of a control is not among those tested', sentence: 'shown, not tested' },
  'control.cell-none': { when: 'a control has no result', sentence: 'no result' },
  'control.failed-uncounted': {
    when: 'the effects with and without counters differ',
    sentence:
      '{control}: the change of {metric} without counters differs from that with them ({arm} against {reference}). The run is invalid: counting changes it, or it changed between these two sets of pairs.',
  },
  'control.failed': {
    when: 'any other control failed',
    sentence: '{control}: {metric} differs where it must not ({arm} against {reference}). The run is invalid.',
  },
  'control.uninformative': {
    when: 'a control could not have seen what is claimed, or its rejected pairs decide',
    sentence: '{control} says nothing of {metric}: {reason}.',
  },
  'control.none': { when: 'a control has no result', sentence: '{control} has no result for {metric}: {reason}.' },
  'control.uncounted': {
    when: 'the confirmation ran without counters too',
    sentence:
      'Without counters {metric} of {arm} against {reference} changes by {change} {interval}, {agreeing} of {pairs}. With them it changes by {counted}. These are two sets of pairs, and not pooled.',
  },
  'control.floor': {
    when: 'a rebuild was measured, for each primary metric',
    sentence:
      'Layout floor of {metric}: {floor}, the larger bound of the interval of {arm} against {reference}. A change whose interval does not lie wholly beyond it may be no larger than a rebuild moves.',
  },
  'control.one-layout': {
    when: 'a layout floor was measured',
    sentence:
      'A rebuild is one layout of many: of changes that are nothing but layout, up to one in two lies beyond the floor of one rebuild, one in three beyond that of two.',
  },
  'control.not-measured': {
    when: 'a rebuild has the same machine code',
    sentence:
      'Layout floor: not measured. {arm} has the same machine code (.text) as {reference}: these two programs are the same, and their comparison is an A/A.',
  },
  'control.not-measured-text': {
    when: 'as control.not-measured, and constants or other data differ',
    sentence:
      'Layout floor: not measured. {arm} has the same machine code (.text) as {reference}; constants or other data differ. Their comparison is an A/A.',
  },
  'side.lead': {
    when: 'for each comparison beside the confirmation, of two arms',
    sentence:
      '{complete} of {planned} planned {blocks} beside the confirmation, {counters}. They are not pooled with it, and decide nothing.',
  },
  'side.lead-blocks': {
    when: 'as side.lead, of more arms',
    sentence:
      '{complete} of {planned} planned blocks of {arms} arms beside the confirmation, in balanced positions ({orders}), {counters}. They are not pooled with it, and decide nothing.',
  },
  'side.stock': {
    when: 'the arms of the confirmation are compared in such blocks',
    sentence:
      '{arm} against {reference} is the comparison of the confirmation within these blocks ({trials}). They are no adjacent pairs, and not pooled with those of the confirmation.',
  },
  'side.same-code': {
    when: 'both sides of such a comparison have the same machine code and data',
    sentence: '{arm} and {reference}: the machine code (.text) is the same: these two programs are the same.',
  },
  'side.same-text': {
    when: 'as side.same-code, and constants or other data differ',
    sentence: '{arm} and {reference}: the machine code (.text) is the same; constants or other data differ.',
  },
  'side.no-counters': { when: 'such a comparison ran without counters', sentence: 'counters disabled' },
  'side.counters': { when: 'such a comparison ran with counters', sentence: '{kind} counters enabled' },
  'ablation.title': { when: 'parts were taken out by patches', sentence: 'What removing this part does' },
  'ablation.title-against': {
    when: 'as ablation.title, where all are compared with the same arm',
    sentence: 'What removing this part does, against {reference}',
  },
  'ablation.found': {
    when: 'for each metric that is decided without a part',
    sentence: '{metric} is {word}: {change} {interval}',
  },
  'ablation.supports': {
    when: 'the changes without a part go against those that the same blocks found, and all are decided',
    sentence:
      'Without the part that {arm} removes, {found} (against {reference}). That supports a contribution of this part to the change of {metrics}; that it is the whole of it is not shown.',
  },
  'ablation.same-way': {
    when: 'changes without a part are decided, and go the same way as those found, or none was found',
    sentence:
      'Without the part that {arm} removes, {found} (against {reference}). That is no support for a contribution of this part.',
  },
  'ablation.equivalent': {
    when: 'the change without a part is equivalent, and its interval does not exclude zero',
    sentence:
      'Without the part that {arm} removes, {metric} is equivalent within the margin of {margin}: {change} against {reference}, and the {level} interval {interval} lies inside the margin. No contribution of this part is shown.',
  },
  'ablation.equivalent-exact': {
    when: 'as ablation.equivalent, and every trial of an arm gave the same value',
    sentence:
      'Without the part that {arm} removes, {metric} is equivalent within the margin of {margin}: {change} against {reference}, exact. No contribution of this part is shown.',
  },
  'ablation.within': {
    when: 'after ablation.supports and ablation.same-way, where the interval is not wholly beyond the layout floor',
    sentence: 'The change of {metric} may be no larger than a rebuild moves (layout floor {floor}).',
  },
  'ablation.open': {
    when: 'the change without a part is not decided otherwise',
    sentence:
      'Without the part that {arm} removes, {metric} changes by {change} {interval} against {reference}, which is inconclusive: no contribution of this part is shown.',
  },
  'ablation.secondary': {
    when: 'a metric that is not primary is decided in an ablation',
    sentence: 'Metrics that are not primary are each judged alone, at {level}: of many, some are decided by chance.',
  },
  'ablation.layout': {
    when: 'there are ablations',
    sentence: 'A diagnostic arm also changes the layout of the code, which moves times by itself.',
  },
  'ablation.failures': {
    when: 'there are ablations',
    sentence: 'A diagnostic arm may change what happens when something fails.',
  },
  'ablation.no-fix': {
    when: 'there are ablations',
    sentence: 'A diagnostic arm is no proposed fix, and no estimate of the confirmation rests on one.',
  },
  'ablation.not-rebuilt': {
    when: 'an ablation is compared with an arm that was not prepared again',
    sentence: '{reference} was not prepared again for this: what building alone moves is in the changes of {arm}.',
  },
  'ablation.rest': {
    when: 'there are ablations, and no such sum can be made',
    sentence: 'What no arm explains is the unresolved remainder; these blocks do not say how large it is.',
  },
  'ablation.remainder': {
    when: 'the same blocks have the comparison of the confirmation and ablations of its arm',
    sentence: 'Unresolved remainder of {metric}: {change} {interval} ({level}, {blocks}).',
  },
  'ablation.sum': {
    when: 'as ablation.remainder, after all of them',
    sentence:
      'A remainder is, in each block, the change of {arm} against {reference}, with the effects of removing {parts} added. The sum assumes that the parts do not overlap and act independently.',
  },
} as const;
