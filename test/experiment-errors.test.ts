import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { readExperiment } from '../src/experiment/parse.ts';
import { showLocated } from '../src/report/located.ts';

const DIRECTORY = new URL('./golden/experiment-errors/', import.meta.url);
const inputs = readdirSync(DIRECTORY).filter((name) => name.endsWith('.yaml'));

test.each(inputs)('%s shows its errors as before', async (name) => {
  const text = readFileSync(new URL(name, DIRECTORY), 'utf8');
  const read = readExperiment(text);
  if (read.ok) throw new Error(`${name} has no error`);
  const shown = showLocated(name, text, read.errors);
  await expect(shown).toMatchFileSnapshot(`./golden/experiment-errors/${basename(name, '.yaml')}.txt`);
});
