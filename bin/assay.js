#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('assay: dist is missing: this checkout has not been built. Run: npm run build\n');
  process.exitCode = 2;
}
