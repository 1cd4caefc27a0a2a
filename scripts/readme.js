/** Puts what `assay report` prints of the recorded run into the README; a test says when that is due. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const args = ['bin/assay.js', 'report', 'test/recorded/rocksdb-versions'];
const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
const readme = readFileSync('README.md', 'utf8');
const block = /(prints it again\.\n\n)```\n[\s\S]*?\n```\n/;
writeFileSync(
  'README.md',
  readme.replace(block, (_, before) => `${before}\`\`\`\n${stdout}\`\`\`\n`),
);
