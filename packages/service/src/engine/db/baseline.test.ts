import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeSchema } from '../../testing/describe-schema.ts';
import { eachEmptyDatabase } from '../../testing/index.ts';

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../testing/baseline/${name}`, import.meta.url)), 'utf8');

eachEmptyDatabase('tables of version 1', (open, kind) => {
  it('have the columns, keys, indexes and triggers that they had before they were said once', async () => {
    expect(await describeSchema(await open())).toBe(fixture(`${kind}.schema.txt`));
  });
});
