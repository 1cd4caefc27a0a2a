/** The experiment that `assay init` starts with. */

/**
 * A commented experiment that runs as it stands. `schema` is where the JSON Schema of experiments is, as a path or an
 * address: editors that know the line complete the file and mark what is wrong in it.
 */
export function starterExperiment(schema: string): string {
  return `# yaml-language-server: $schema=${schema.replace(/[\r\n]/g, ' ')}

# Run it:            assay run FILE
# What it would do:  assay plan FILE

title: Copying 8 MiB, by small and by large blocks
question: Is copying by blocks of 1 KiB slower than by blocks of 64 KiB?
constructed: true # made to show an effect; leave this out for a real workload

# What is compared: two arms or more. The first is the reference, which the others are compared with.
# Instead of a command an arm can be a package of the npm registry, \`npm: rocksdb@5.2.1\`.
arms:
  large-blocks:
    command: [dd, if=/dev/zero, of=copy, bs=64k, count=128]
  small-blocks:
    command: [dd, if=/dev/zero, of=copy, bs=1k, count=8192]

# Where all arms run the same program, \`workload\` has the command, with {arm.dir}, {arm.name}, {params.NAME}.
# Every trial starts in a fresh, empty directory, {trial.dir}, with nothing of your environment but PATH.
workload:
  timeout: 1m
  # env: {DD_EXAMPLE: text}
  # pass_env: [LD_LIBRARY_PATH]

# What is measured. The primary metric decides the exit code. Left out: wall (primary), cpu and max_rss.
metrics:
  - {name: wall, primary: true}
  - {name: cpu}
  - {name: max_rss}
  # From the last line of stdout, a JSON object {"metrics": {"write_ns": 123}, "operations": 1000, "checks": {…}, "facts": {…}}:
  # - {name: write_ns, unit: ns, per: /operations}
  # From other output, by a pattern with one group:
  # - {name: rate, unit: ops/s, better: higher, from: {stdout: 'rate: ([0-9.]+)'}}

# What must hold in every trial; else the run is invalid.
checks:
  - exit_code: 0
  - must_match: {stderr: 'records out'}
  # - equal: /operations

design:
  warmup: 1 # pairs that run first and do not count
  confirmation: {pairs: 16}

# When a change counts: within the threshold it is neither slower nor faster, surely within the margin it is equivalent.
decision:
  threshold: 1%
  margin: 5%
`;
}
