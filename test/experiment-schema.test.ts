import { expect, test } from 'vitest';
import { experimentJsonSchema } from '../src/experiment/schema.ts';

test('the committed JSON Schema of experiments is the one that the code makes (npx vitest run -u writes it)', async () => {
  const text = `${JSON.stringify(experimentJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../schemas/experiment.schema.json');
});

test('every field of an experiment has a description', () => {
  const missing: string[] = [];
  const visit = (schema: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, part] of Object.entries(schema)) {
      if (name !== 'properties') visit(part, path);
      else {
        for (const [field, definition] of Object.entries(part as Record<string, object>)) {
          if (!('description' in definition)) missing.push(`${path}.${field}`);
          visit(definition, `${path}.${field}`);
        }
      }
    }
  };
  visit(experimentJsonSchema(), '');
  expect(missing).toEqual([]);
});
