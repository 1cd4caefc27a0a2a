/** The program's entry. `--version` must not wait for anything that it does not need. */
import { assayVersion } from '../io/version.ts';
import { survivePipes } from './streams.ts';

const args = process.argv.slice(2);

if (process.platform !== 'linux' && process.platform !== 'darwin') {
  process.stderr.write(
    `assay: ${process.platform} is not supported: Assay needs process groups and their accounting, as Linux (in full) and macOS (coarser) have them.\n`,
  );
  process.exitCode = 2;
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  survivePipes();
  process.stdout.write(`${assayVersion()}\n`);
} else {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(args);
}
