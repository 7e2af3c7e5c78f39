import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readSsoFiles } from './sso-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-sso-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const product = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';
const groups = { groups: { admins: { role: 'admin' }, makers: { products: { [product]: 'manager' } } } };

it('reads the groups of single sign-on', () => {
  expect(readSsoFiles({ oidcGroups: undefined })).toEqual({});
  const oidcGroups = file('groups.json', JSON.stringify(groups));
  expect(readSsoFiles({ oidcGroups })).toEqual({ groups });
});

it.each([
  ['{"groups": {', 'is not JSON'],
  ['{}', 'is wrong at "/": that must have the key "groups"'],
  ['{"groups":{"a":{"role":"owner"}}}', 'is wrong at "/groups/a/role": that must be one of "user", "admin"'],
  ['{"groups":{"a":{"rolle":"admin"}}}', 'is wrong at "/groups/a": that has a key that is not known: rolle'],
  ['{"groups":{"a":{"products":{"lamp":"manager"}}}}', 'has a key that is not known: lamp'],
])('refuses the groups %j with the place', (text, problem) => {
  expect(() => readSsoFiles({ oidcGroups: file('wrong.json', text) })).toThrow(problem);
});
