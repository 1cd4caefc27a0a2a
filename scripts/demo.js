/**
 * `npm run demo` compares two real versions of RocksDB, `npm run demo:native` one setting of Debian's RocksDB by time and by
 * count of instructions. Both say how to see the report again.
 *
 * Exit code 1 of `assay run` is a verdict (a primary metric is slower), as 0 is: with either, the demo has worked. Any
 * other code means that something failed, and is passed on.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const EXPERIMENTS = { demo: 'rocksdb-versions/experiment.yaml', native: 'rocksdb/protection-bytes.yaml' };
const name = process.argv[2] ?? 'demo';

const root = fileURLToPath(new URL('..', import.meta.url));
const time = new Date()
  .toISOString()
  .replace(/\.\d+Z$/, 'Z')
  .replace(/[:-]/g, '');
const out = join('assay-runs', `${time}-${name}`);

const assay = spawn(
  process.execPath,
  [join('bin', 'assay.js'), 'run', join('examples', EXPERIMENTS[name]), '--out', out],
  { cwd: root, stdio: 'inherit' },
);
// Assay saves what was measured before it ends; that is waited for. Ctrl-C reaches it without us, from the terminal.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => assay.kill('SIGTERM'));

assay.on('exit', (code, signal) => {
  if (signal !== null) process.exitCode = 3;
  else if (code === 0 || code === 1) {
    process.stdout.write(`\nTo see the report again:\n  node bin/assay.js report ${out}\nIts files: ${out}\n`);
  } else process.exitCode = code ?? 3;
});
