// What is published: each package, and which source each of its entries is.

export interface Published {
  readonly name: string;
  readonly description: string;
  /** The workspace whose README and version it has. */
  readonly workspace: string;
  /** Entries that programs import, by their subpath; none for a program. */
  readonly entries: Readonly<Record<string, string>>;
  /** What starts by itself, of a program: its main file and its workers. */
  readonly roots?: readonly string[];
}

export const published: readonly Published[] = [
  {
    name: 'moorage',
    description: 'A self-hosted home for connected devices, and a software implementation of the module it manages',
    workspace: 'moorage',
    entries: {},
    roots: [
      'packages/moorage/src/main.ts',
      'packages/service/src/engine/blobs/backends/hash-worker.ts',
      'packages/service/src/engine/db/dialect/sqlite/checkpoint-worker.ts',
      'packages/service/src/engine/db/dialect/sqlite/quick-check-worker.ts',
    ],
  },
  {
    name: '@moorage/client',
    description: 'Typed client of the REST API of a Moorage service, for Node and browsers',
    workspace: 'api',
    entries: { '.': 'packages/api/src/index.ts' },
  },
  {
    name: '@moorage/device',
    description:
      'A device of a Moorage service: provisioning, verified resumable updates, messages, streams and controls',
    workspace: 'device',
    entries: {
      '.': 'packages/device/src/index.ts',
      './node': 'packages/device/src/node.ts',
      './base': 'packages/base/src/index.ts',
      './disk': 'packages/base/src/disk/store.ts',
      './memory': 'packages/base/src/store/memory.ts',
      './net': 'packages/net/src/node/index.ts',
    },
  },
  {
    name: '@moorage/module',
    description: 'A virtual Wi-Fi networking module for tests of host firmware, on virtual time',
    workspace: 'module',
    entries: {
      '.': 'packages/module/src/module.ts',
      './base': 'packages/base/src/index.ts',
      './disk': 'packages/base/src/disk/store.ts',
      './memory': 'packages/base/src/store/memory.ts',
      './net': 'packages/net/src/node/index.ts',
      './net/memory': 'packages/net/src/memory/index.ts',
      './personality': 'packages/module/src/personality/personality.ts',
      './testing': 'packages/module/src/bench/testing.ts',
    },
  },
];
