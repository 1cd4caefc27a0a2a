import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { showLocated } from '../src/report/located.ts';
import { readStudy } from '../src/storage/study.ts';
import { varianceStudyJsonSchema } from '../src/storage/study-schema.ts';

const DIRECTORY = new URL('./golden/study-errors/', import.meta.url);
const inputs = readdirSync(DIRECTORY).filter((name) => name.endsWith('.yaml'));

test.each(inputs)('%s shows its errors as before', async (name) => {
  const text = readFileSync(new URL(name, DIRECTORY), 'utf8');
  const read = readStudy(text);
  if (read.ok) throw new Error(`${name} has no error`);
  await expect(showLocated(name, text, read.errors)).toMatchFileSnapshot(
    `./golden/study-errors/${basename(name, '.yaml')}.txt`,
  );
});

test('the committed JSON Schema of studies is the one that the code makes (npx vitest run -u writes it)', async () => {
  const text = `${JSON.stringify(varianceStudyJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../schemas/variance-study.schema.json');
});
