import { describe, expect, it } from 'vitest';
import { zones } from './boundaries.ts';
import { findBoundaryProblems } from './check-boundaries.ts';

/** Tables that stand in folders of their slices. */
const said = (['devices', 'updates'] as const).map((table) => ({
  path: `packages/service/src/core/${table === 'updates' ? 'ota' : table}/tables.ts`,
  text: `export const tables = { ${table}: t.table({ id: t.key }) };`,
}));

const messages = (path: string, text: string): string[] =>
  findBoundaryProblems([...said, { path, text }]).map(({ line, message }) => `${line}: ${message}`);

const refused: readonly (readonly [name: string, path: string, text: string, message: string])[] = [
  [
    'base may not import another package of the workspace',
    'packages/base/src/a.ts',
    `import { x } from '@moorage/api';`,
    '1: base may not import api',
  ],
  [
    'base may not import a package',
    'packages/base/src/a.ts',
    `import Type from 'typebox';`,
    '1: base may not import the package "typebox"',
  ],
  [
    'api may not import the service',
    'packages/api/src/a.ts',
    `\nimport { buildApp } from '@moorage/service';`,
    '2: api may not import service/app',
  ],
  [
    'the module may not import the service',
    'packages/module/src/cloud/telemetry.ts',
    `export type { App } from '@moorage/service';`,
    '1: module/cloud may not import service/app',
  ],
  [
    'a slice of the core may not import one that is not in its row',
    'packages/service/src/core/products/routes.ts',
    `import type { Device } from '../devices/queries.ts';`,
    '1: core/products may not import core/devices',
  ],
  [
    'the core may not import an extension, not even its types',
    'packages/service/src/core/devices/routes.ts',
    `import type { Alert } from '../../extensions/alerts/queries.ts';`,
    '1: core/devices may not import extensions/alerts',
  ],
  [
    'the engine may not import the core',
    'packages/service/src/engine/http/mount.ts',
    `import { device } from '../../core/devices/queries.ts';`,
    '1: service/http may not import core/devices',
  ],
  [
    'an extension may not import one that is not in its row',
    'packages/service/src/extensions/views/views.ts',
    `import { alerts } from '../alerts/queries.ts';`,
    '1: extensions/views may not import extensions/alerts',
  ],
  [
    'a slice may not reach into one of the databases',
    'packages/service/src/core/devices/queries.ts',
    `import { int64 } from '../../engine/db/dialect/sqlite/ddl.ts';`,
    '1: core/devices may not import service/db/dialect',
  ],
  [
    'http may import only types of the blob store',
    'packages/service/src/engine/http/mount.ts',
    `import { open } from '../blobs/open.ts';`,
    '1: service/http may import only types of service/blobs',
  ],
  [
    'a mixed import of types and values counts as one of values',
    'packages/module/src/variables/store.ts',
    `import { type Reply, ok } from '../interpreter/reply.ts';`,
    '1: module/variables may import only types of module/interpreter',
  ],
  [
    'the interpreter may not know the flash',
    'packages/module/src/interpreter/session.ts',
    `import type { Flash } from '../device/flash-files.ts';`,
    '1: module/interpreter may not import module/device',
  ],
  [
    'only the command line and tests may import module.ts',
    'packages/module/src/commands/system.ts',
    `import { createModule } from '../module.ts';`,
    '1: module/commands may not import module',
  ],
  [
    'a folder of the module may not look upwards, not even at types',
    'packages/module/src/services/a.ts',
    `import type { Board } from '../commands/board.ts';`,
    '1: module/services may not import module/commands',
  ],
  [
    'a dynamic import is an import',
    'packages/module/src/device/pins.ts',
    `const later = await import('../commands/files.ts');`,
    '1: module/device may not import module/commands',
  ],
  [
    'the core may not open a socket',
    'packages/module/src/device/streams.ts',
    `import { connect } from 'node:net';`,
    '1: module/device may not touch "node:net": files, network and processes belong to adapters',
  ],
  [
    'the core may not read a file',
    'packages/module/src/interpreter/session.ts',
    `import fs from 'node:fs/promises';`,
    '1: module/interpreter may not touch "node:fs/promises": files, network and processes belong to adapters',
  ],
  [
    'a slice may not use a database driver',
    'packages/service/src/core/logs/queries.ts',
    `import pg from 'pg';`,
    '1: core/logs may not touch "pg": files, network and processes belong to adapters',
  ],
  [
    'the disk store may not start a process',
    'packages/base/src/disk/store.ts',
    `import { spawn } from 'node:child_process';`,
    '1: base/disk may not touch "node:child_process": files, network and processes belong to adapters',
  ],
  [
    'the web server may not open a port itself',
    'packages/module/src/web/server.ts',
    `import net from 'node:net';`,
    '1: module/web may not touch "node:net": files, network and processes belong to adapters',
  ],
  [
    'the core may not ask the host for the time',
    'packages/module/src/device/rtc.ts',
    'const now = Date.now();',
    '1: Date.now: time and chance are handed in',
  ],
  [
    'the core may not make a date of now',
    'packages/module/src/device/rtc.ts',
    'const now = new Date();',
    '1: new Date(): time and chance are handed in',
  ],
  [
    'the core may not start a timer',
    'packages/service/src/core/devices/routes.ts',
    'setTimeout(() => {}, 5);',
    '1: setTimeout: time and chance are handed in',
  ],
  [
    'routes hold no SQL',
    'packages/service/src/core/devices/routes.ts',
    `db.selectFrom('devices');`,
    '1: selectFrom outside queries.ts',
  ],
  [
    'a slice writes only to its own tables',
    'packages/service/src/core/ota/queries.ts',
    `db\n  .updateTable('devices');`,
    '1: table "devices" is written by devices, not by ota',
  ],
  [
    'a new table needs an owner',
    'packages/service/src/core/ota/queries.ts',
    `db.insertInto('beacons');`,
    '1: table "beacons" is written by nobody yet, not by ota',
  ],
  ['a new folder needs a row', 'packages/elsewhere/src/a.ts', '', '0: file is in no zone of scripts/boundaries.ts'],
];

const allowed: readonly (readonly [name: string, path: string, text: string])[] = [
  [
    'a slice may use another of its row',
    'packages/service/src/core/ota/routes.ts',
    `import { x } from '../bundles/rules.ts';`,
  ],
  [
    'a slice may use storage',
    'packages/service/src/core/ota/queries.ts',
    `import { x } from '../../engine/db/errors.ts';`,
  ],
  ['types of a network module are harmless', 'packages/module/src/web/a.ts', `import type { Socket } from 'node:net';`],
  ['the real network adapter may open sockets', 'packages/net/src/node/sockets.ts', `import net from 'node:net';`],
  ['transports may open sockets', 'packages/module/src/transports/tcp.ts', `import net from 'node:net';`],
  ['the disk store may use files', 'packages/base/src/disk/store.ts', `import fs from 'node:fs';`],
  [
    'storage may use its driver',
    'packages/service/src/engine/db/dialect/sqlite/a.ts',
    `import { x } from 'node:sqlite';`,
  ],
  [
    'commands may use texts of the personality',
    'packages/module/src/commands/a.ts',
    `import { x } from '../personality/personality.ts';`,
  ],
  [
    'a file inside a package is reached by its name',
    'packages/moorage/src/a.ts',
    `import '@moorage/module/transports/tcp';`,
  ],
  ['an import in a comment or text is none', 'packages/base/src/a.ts', `// import 'pg'\nconst a = "import 'pg'";`],
  ['a slice may read any table', 'packages/service/src/core/ota/queries.ts', `db.selectFrom('devices');`],
  ['a slice may write to its tables', 'packages/service/src/core/ota/queries.ts', `db.insertInto('updates');`],
  ['a given time may become a date', 'packages/service/src/core/ota/rules.ts', 'const at = new Date(nowMs);'],
  ['the clock of the host may be asked for the time', 'packages/base/src/clock.ts', 'Date.now();'],
  ['tests are exempt', 'packages/base/src/a.test.ts', `import { it } from 'vitest';`],
  ['what supports tests is exempt', 'packages/service/src/testing/a.ts', `import fs from 'node:fs';`],
];

describe('import boundaries', () => {
  it.each(refused)('%s', (_name, path, text, message) => {
    expect(messages(path, text)).toEqual([message]);
  });

  it.each(allowed)('%s', (_name, path, text) => {
    expect(messages(path, text)).toEqual([]);
  });

  it('a package imports only what its own package.json names', () => {
    const manifest = { name: '@moorage/service', dependencies: { kysely: '1.0.0', '@scope/known': '1.0.0' } };
    const text = `import 'kysely';\nimport '@scope/known/part';\nimport 'node:crypto';\nimport 'fastify';\nimport '@scope/other';`;
    const found = findBoundaryProblems([
      { path: 'packages/service/package.json', text: JSON.stringify(manifest) },
      { path: 'packages/service/src/core/logs/queries.ts', text },
    ]);
    expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '4: "fastify" is not in packages/service/package.json',
      '5: "@scope/other" is not in packages/service/package.json',
    ]);
  });

  it('has each zone and each path once', () => {
    expect(new Set(zones.map(({ name }) => name)).size).toBe(zones.length);
    const paths = zones.flatMap(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
