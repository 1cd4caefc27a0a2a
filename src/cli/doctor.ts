import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AssayError } from '../failures.ts';
import { byteProgress } from './byte-progress.ts';
import { EXIT, signalExitCode } from './exit-codes.ts';
import type { CommandContext } from './program.ts';

interface DoctorFlags {
  readonly dir?: string;
  readonly probe: boolean;
  readonly json?: boolean;
}

export function registerDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('say whether this machine is fit to measure on, how to mend it, and how small an effect it could show')
    .option('--dir <dir>', 'look at the file system and device under this directory (default: the current one)')
    .option('--no-probe', 'do not measure the noise, which takes about 5 s')
    .option('--json', 'print JSON (assay schema doctor)')
    .addHelpText(
      'after',
      `
Each fact is ok, warn (numbers will be noisier, or say less) or bad (numbers would be wrong). The noise probe runs a
loop of about 0.1 s 40 times and tells the smallest effect that 16 pairs of it would find; memory layout and
input/output are not included.

Examples:
  assay doctor
  assay doctor --dir /mnt/nvme/trials
  assay doctor --no-probe && assay run experiment.yaml

Exit codes:
  0    ready: nothing is bad
  2    wrong usage
  3    not ready: something is bad, or the machine could not be looked at
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP`,
    )
    .action(async (flags: DoctorFlags) => {
      const { examine } = await import('../host/doctor.ts');
      const { doctorDocument, doctorText } = await import('../report/doctor.ts');
      const { assayVersion } = await import('../io/version.ts');
      const { streams, env, exit } = context;
      const stop = new AbortController();
      const onSignal = (signal: NodeJS.Signals) => stop.abort(signal);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
      const progress = byteProgress(streams, () => performance.now());
      const findings = await examine({
        directory: existingDirectory(flags.dir ?? '.'),
        env,
        probe: flags.probe,
        onProgress: (done, total) => progress.show('noise probe', done, total),
        stop: stop.signal,
      }).finally(() => progress.finish());
      if (stop.signal.aborted) return exit(signalExitCode(String(stop.signal.reason)));
      streams.out(
        flags.json === true
          ? `${JSON.stringify(doctorDocument(findings, assayVersion()), null, 2)}\n`
          : doctorText(findings, { color: streams.outColor, width: streams.width }),
      );
      exit(findings.ready ? EXIT.ok : EXIT.failed);
    });
}

function existingDirectory(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return resolve(path);
  throw new AssayError({
    kind: 'usage',
    message: `there is no directory ${path}`,
    remedy: 'Name one that exists: its file system and device are looked at, and nothing is written to it.',
  });
}
