/** Sentences on counts of instructions and on machine code. */
export const COUNT_RULES = {
  'count.exact': {
    when: 'all counts of each arm were alike, and those of the two arms differ',
    sentence:
      '{arm} executes {size} {more} {instructions} {each} than {reference} ({repeats} counts of each, all alike).',
  },
  'count.range': {
    when: 'counts of an arm differ from each other, and the range of the difference excludes zero',
    sentence:
      '{arm} executes between {low} and {high} {more} instructions {each} than {reference} (the range of {repeats} counts of each).',
  },
  'count.same': {
    when: 'all counts of both arms were alike',
    sentence:
      'The counts of {arm} and {reference} do not differ: {value} {instructions} {each} ({repeats} counts of each, all alike).',
  },
  'count.within': {
    when: 'counts of an arm differ from each other, and the range of the difference includes zero',
    sentence:
      '{arm} against {reference}: the difference lies within the range of the repeats, {low} to {high} instructions {each} ({repeats} counts of each).',
  },
  'count.wide': {
    when: 'as count.range, where the counts of one arm lie further apart than the difference',
    sentence:
      'The counts of {arm} alone lie {width} instructions {each} apart, which is more than the difference between the arms.',
  },
  'count.opposite': {
    when: 'the range of a count excludes zero, the interval of a primary time too, and one is more, the other less',
    sentence:
      'Count and time point in opposite directions: {arm} executes {more} instructions, but {metric} changes by {change} {interval}.',
  },
  'count.no-time': {
    when: 'instructions were counted',
    sentence:
      'A count of instructions is no time: instructions differ in what they cost, and waiting costs time without any.',
  },
  'count.brackets': {
    when: 'counts of an arm differ from each other, and stand beside a time',
    sentence:
      'In brackets: of a time its {level} interval, of a count the range of its repeats, which is no confidence interval.',
  },
  'count.brackets-alone': {
    when: 'counts of an arm differ from each other, and stand alone',
    sentence: 'In brackets: the range of the repeats, which is no confidence interval.',
  },
  'count.how-region': {
    when: 'a region was counted',
    sentence:
      'Counted by {tool} in {repeats} trials of each arm after the timed ones, addresses fixed, only in calls of {region}.',
  },
  'count.how-process': {
    when: 'the whole process was counted',
    sentence:
      'Counted by {tool} in {repeats} trials of each arm after the timed ones, addresses fixed, from start to end of the process.',
  },
  'count.operations': { when: 'the number of operations is known', sentence: 'A counted trial has {operations}.' },
  'count.params': {
    when: 'the counted trials had other parameters than the timed ones',
    sentence:
      'Counted with {params}. What does not cost the same in every operation, such as the allocator, may weigh otherwise at another size.',
  },
  'count.not-counted-region': {
    when: 'a region was counted',
    sentence:
      'Not counted: the kernel, other threads, what lies outside of the region, and misses of caches and branches.',
  },
  'count.not-counted-process': {
    when: 'the whole process was counted',
    sentence: 'Not counted: the kernel, other processes, and misses of caches and branches.',
  },
  'count.functions': {
    when: 'functions differ by more than the range of their own counts',
    sentence: 'Functions that account for it, by self cost (without what they call), in instructions {each}:',
  },
  'count.functions-none': {
    when: 'the counts of the arms differ, and those of no function do so beyond their own range',
    sentence: 'No function differs by more than the range of its own counts.',
  },
  'count.absent': {
    when: 'a function was counted in one arm only',
    sentence: '-: no function of this name was counted in that arm; it may have been inlined or renamed.',
  },
  'code.same-file': {
    when: 'an arm and the reference run the same file',
    sentence: '{subject}: both run the same file, {path}: these two programs are the same.',
  },
  'code.same': {
    when: 'machine code and data of two files are the same',
    sentence: '{subject}: machine code (.text) and data are the same: these two programs are the same.',
  },
  'code.same-text': {
    when: 'the machine code of two files is the same, and their data are not',
    sentence: '{subject}: the machine code (.text) is the same; constants or other data differ.',
  },
  'code.same-functions': {
    when: 'every function has the same instructions, addresses aside',
    sentence: '{subject}: all {functions} have the same instructions; only addresses differ.',
  },
  'code.differ': {
    when: 'functions differ',
    sentence: '{subject}: {differ} of {functions} differ{only}.',
  },
  'code.only': {
    when: 'as code.differ, where functions are there on one side only',
    sentence: '; {in_arm} only in {arm}, {in_reference} only in {reference}',
  },
  'code.unknown': {
    when: 'machine code differs, and its functions were not compared',
    sentence: '{subject}: the machine code (.text) differs; which functions is not known.',
  },
  'code.no-symbols': {
    when: 'machine code differs, and there are no symbols',
    sentence: '{subject}: the machine code (.text) differs; there are no symbols, so functions cannot be named.',
  },
  'code.exported': {
    when: 'functions were compared, and a symbol table was stripped',
    sentence: 'Symbols were stripped: only exported functions have names here.',
  },
  'code.named-same': {
    when: 'the experiment names a function, and its instructions are the same',
    sentence: '{name}: the same instructions in both.',
  },
  'code.named-differ': {
    when: 'the experiment names a function, and its instructions differ',
    sentence: '{name}: differs ({reference_bytes} in {reference}, {arm_bytes} in {arm}).',
  },
  'code.rest': {
    when: 'more functions differ than are listed',
    sentence: 'And {rest} more.',
  },
  'code.counted': {
    when: 'functions whose machine code differs are among those whose counts of instructions differ',
    sentence: 'Listed first: {functions} whose counts of instructions differ too.',
  },
  'code.files': {
    when: 'disassemblies were kept',
    sentence: 'Both disassemblies side by side, without addresses: {files} in {folder}.',
  },
  'code.objects-same': {
    when: 'two static libraries are two files, and all their object files have the same machine code',
    sentence: '{subject}: all object files have the same machine code ({objects} of each library).',
  },
  'code.objects-differ': {
    when: 'object files of two static libraries differ in machine code, or are there on one side only',
    sentence: '{subject}: {differ} of {objects} object files of the libraries differ in machine code{only}: {names}.',
  },
  'code.objects-bytes': {
    when: 'as code.objects-same or code.objects-differ, where object files hold what is compiled only when it is linked, or is for another machine',
    sentence: 'In {files} of them no machine code is understood: they were compared byte by byte.',
  },
  'code.note': {
    when: 'functions differ',
    sentence: 'That code differs does not say which of it a difference in time comes from.',
  },
} as const;
