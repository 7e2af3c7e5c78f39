import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecords } from '@moorage/service/tables';
import { buildApp } from '@moorage/service/testing/index';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTs, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a user of the generated types would write; it has to compile. */
const usage = `
import type { paths } from './schema.ts';

type Login = paths['/api/auth/login']['post'];
const credentials: Login['requestBody']['content']['application/json'] = { username: 'a', password: 'b' };
type Device = paths['/api/devices/{identifier}']['get']['responses']['200']['content']['application/json'];
export const describe = (device: Device): string => device.uuid + device.title + String(device.bundle_ok);
export type Refused = paths['/api/devices/{identifier}']['get']['responses']['404']['content']['application/json'];
export const message = (refused: Refused): string => refused.message + credentials.username;
// @ts-expect-error a device has no such field
export const wrong = (device: Device): string => device.nonsense;
`;

/** Messages of the compiler for a folder of sources. */
function compile(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('the OpenAPI document validates, and types generated from it compile', async () => {
  const storage = await openRecords('sqlite::memory:');
  const app = await buildApp(storage);
  const document = (await app.api.inject('/openapi.json')).json();
  await app.service.close();
  await storage.close();
  const { valid, errors } = await new Validator().validate(document);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);

  const folder = await mkdtemp(join(tmpdir(), 'moorage-openapi-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTs(document)));
  await writeFile(join(folder, 'usage.ts'), usage);
  expect(compile([join(folder, 'usage.ts')])).toEqual([]);
  await rm(folder, { recursive: true });
});
