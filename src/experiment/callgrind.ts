/** The words that make valgrind count instructions, so that a reader can say the same. */

/**
 * What stands between `valgrind` and the program.
 * @param out where the profile goes; valgrind expands `%p` to the number of the process
 * @param region the function between whose call and return is counted; null: the whole process
 * @param log where valgrind's own words go; null: to stderr
 */
export function callgrindWords(out: string, region: string | null, log: string | null): readonly string[] {
  return [
    // Not those of a .valgrindrc, or of VALGRIND_OPTS.
    '--command-line-only=yes',
    '--tool=callgrind',
    `--callgrind-out-file=${out}`,
    '--combine-dumps=yes',
    // Threads take turns in a fixed order.
    '--fair-sched=yes',
    '--vgdb=no',
    '--trace-children=no',
    ...(region === null ? [] : [`--toggle-collect=${region}`]),
    ...(log === null ? [] : [`--log-file=${log}`]),
    '--',
  ];
}
