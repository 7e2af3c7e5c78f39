import { describe, expect, it } from 'vitest';
import { clauseOf, deviceListenerTag } from '../packages/api/src/endpoint.ts';
import {
  coverRequirements,
  findFamiliesInTests,
  findIds,
  findUnknownIds,
  parseIndex,
  type TableFacts,
} from './coverage.ts';
import type { ProjectFile } from './support/project.ts';
import { findUnreadVariables, readerOf } from './support/readers.ts';

const index = `# Spec index
| id | requirement | source |
|---|---|---|
| \`API-ERR-1\` | One | Errors 1 |
| \`API-ERR-10\` | Ten \\| with a bar | Errors 10 |
| \`MOD-VAR-wlan.ssid\` | A variable | Variables |
| \`MOD-VAR-wlan\` | A shorter one | Variables |
`;
const requirements = parseIndex(index);
const noFacts: TableFacts = { implemented: new Map(), inert: new Map(), families: [] };

const source = (text: string): ProjectFile => ({ path: 'packages/service/src/a.ts', text });
const test = (text: string): ProjectFile => ({ path: 'packages/service/src/a.test.ts', text });

function cover(files: readonly ProjectFile[], facts: TableFacts = noFacts) {
  const rows = coverRequirements(requirements, files, facts);
  const ids = (part: 'implemented' | 'proven') =>
    rows.filter((row) => row[part].length).map(({ requirement }) => requirement.id);
  return { implemented: ids('implemented'), proven: ids('proven'), rows };
}

describe('spec index', () => {
  it('reads id, requirement and source of each row', () => {
    expect(requirements.map(({ id }) => id)).toEqual(['API-ERR-1', 'API-ERR-10', 'MOD-VAR-wlan.ssid', 'MOD-VAR-wlan']);
    expect(requirements[1]).toEqual({ id: 'API-ERR-10', text: 'Ten \\| with a bar', source: 'Errors 10' });
  });

  it('refuses an id that stands twice', () => {
    expect(() => parseIndex(`${index}| \`API-ERR-1\` | Again | Errors 1 |\n`)).toThrow('API-ERR-1 stands twice');
  });
});

describe('ids in a text', () => {
  it.each([
    ['ends before a full stop', '// Spec: API-ERR-1.', ['API-ERR-1']],
    ['keeps an inner dot', "spec: 'MOD-VAR-wlan.ssid'", ['MOD-VAR-wlan.ssid']],
    ['keeps the longer number', 'API-ERR-10, API-ERR-1', ['API-ERR-10', 'API-ERR-1']],
    ['is no family name alone', 'API-ERR- and API-ERR', []],
    ['is not built from a template', 'const id = `MOD-VAR-` + name', []],
  ])('an id %s', (_name, text, ids) => {
    expect(findIds(text).map(({ id }) => id)).toEqual(ids);
  });

  it('a family is recognised by its id', () => {
    expect(findIds('\nMOD-VAR-*')).toEqual([{ id: 'MOD-VAR-', line: 2, family: true }]);
  });
});

describe('coverage', () => {
  it('takes an id for itself alone, not for one that begins so', () => {
    expect(cover([source('// API-ERR-10')]).implemented).toEqual(['API-ERR-10']);
    expect(cover([source('// API-ERR-1')]).implemented).toEqual(['API-ERR-1']);
    expect(cover([source("'MOD-VAR-wlan.ssid'")]).implemented).toEqual(['MOD-VAR-wlan.ssid']);
  });

  it('counts a test as proof only for what is implemented', () => {
    const { implemented, proven } = cover([source('// API-ERR-1'), test('// API-ERR-1 API-ERR-10')]);
    expect(implemented).toEqual(['API-ERR-1']);
    expect(proven).toEqual(['API-ERR-1']);
  });

  it('counts a dialogue as proof', () => {
    const transcript = { path: 'packages/module/test/transcripts/a.txt', text: '# API-ERR-1' };
    expect(cover([source('// API-ERR-1'), transcript]).proven).toEqual(['API-ERR-1']);
  });

  it('takes a family for none of its ids, in a source or in a test', () => {
    expect(cover([source('// MOD-VAR-*')]).implemented).toEqual([]);
    const files = [source('// MOD-VAR-wlan.ssid API-ERR-1'), test('\n// MOD-VAR-*')];
    expect(cover(files).implemented).toContain('MOD-VAR-wlan.ssid');
    expect(cover(files).proven).toEqual([]);
    expect(findFamiliesInTests(files)).toMatchObject([{ path: 'packages/service/src/a.test.ts', line: 2 }]);
  });

  it('takes entries of tables', () => {
    const implemented = new Map([['API-ERR-1', { path: 'packages/api/src/a.ts', line: 3 }]]);
    expect(cover([], { ...noFacts, implemented }).implemented).toEqual(['API-ERR-1']);
  });

  it('takes a row that nothing acts on as not built, whatever mentions it', () => {
    const inert = new Map([['MOD-VAR-wlan.ssid', 'later']]);
    const { implemented, rows } = cover([source('// MOD-VAR-wlan.ssid')], { ...noFacts, inert });
    expect(implemented).toEqual([]);
    expect(rows.find(({ requirement }) => requirement.id === 'MOD-VAR-wlan.ssid')?.inert).toBe('later');
  });

  it('takes no mention for an entry where only a table implements', () => {
    const files = [source('// MOD-VAR-wlan.ssid API-ERR-1')];
    expect(cover(files, { ...noFacts, families: ['MOD-VAR-'] }).implemented).toEqual(['API-ERR-1']);
  });

  it('leaves out scripts and what supports tests', () => {
    const files = ['scripts/a.test.ts', 'packages/service/src/testing/a.ts'].map((path) => ({
      path,
      text: 'API-ERR-1',
    }));
    expect(cover(files).implemented).toEqual([]);
  });
});

describe('readers of variables', () => {
  const module = (path: string, text: string): ProjectFile => ({ path: `packages/module/src/${path}`, text });
  const entry = (name: string): ProjectFile => module('variables/wlan.ts', `  { name: '${name}' },`);

  it.each([
    ['a statement that gets it', 'wlan/a.ts', "\n  ssid: variables.get('wlan.ssid'),", 2],
    ['a list of names', 'wlan/a.ts', "const pins = ['wlan.ssid'];", 1],
    ['another row', 'variables/wlan.ts', "hidden: (context) => context.get('wlan.ssid') === '',", 1],
    ['a statement that only sets it', 'wlan/a.ts', "variables.set('wlan.ssid', '');", undefined],
    ['a comment', 'wlan/a.ts', "// 'wlan.ssid'", undefined],
    ['a test', 'wlan/a.test.ts', "variables.get('wlan.ssid')", undefined],
    ['a test rig', 'testing/a.ts', "variables.get('wlan.ssid')", undefined],
    ['a longer name', 'wlan/a.ts', "variables.get('wlan.ssid.more')", undefined],
  ])('%s', (_name, path, text, line) => {
    const files = [entry('wlan.ssid'), module(path, text)];
    expect(readerOf({ name: 'wlan.ssid' }, files)?.line).toBe(line);
    expect(findUnreadVariables([{ name: 'wlan.ssid' }], files)).toHaveLength(line === undefined ? 1 : 0);
    expect(findUnreadVariables([{ name: 'wlan.ssid', inert: 'why' }], files)).toHaveLength(line === undefined ? 0 : 1);
  });

  it('a row that makes its value is its own reader', () => {
    expect(readerOf({ name: 'wlan.mac', read: () => '' }, [entry('wlan.mac')])).toMatchObject({ line: 1 });
  });
});

describe('unknown ids', () => {
  it('an id that the index does not have is a problem, with its line', () => {
    expect(findUnknownIds(requirements, [source('\n// API-ERR-2')])).toEqual([
      {
        path: 'packages/service/src/a.ts',
        line: 2,
        rule: 'spec-id',
        message: 'API-ERR-2 is not in docs/spec-index.md',
      },
    ]);
  });

  it('a family without any id is a problem', () => {
    expect(findUnknownIds(requirements, [source('// API-ERR-*')])).toEqual([]);
    expect(findUnknownIds(requirements, [source('// API-XX-*')])).toHaveLength(1);
  });

  it('ids in tests are checked too', () => {
    expect(findUnknownIds(requirements, [test('// API-ERR-2')])).toHaveLength(1);
  });

  it('ids in pages are checked, save those of the index itself and of generated pages', () => {
    const page = (path: string) => findUnknownIds(requirements, [{ path, text: 'one\nAPI-ERR-2' }]);
    expect(page('docs/guide/a.md')).toMatchObject([{ path: 'docs/guide/a.md', line: 2 }]);
    expect(page('docs/spec-index.md')).toEqual([]);
    expect(page('docs/generated/a.md')).toEqual([]);
  });
});

describe('ids of endpoints', () => {
  it.each([
    ['POST', '/api/auth/login', 'API-EP-POST-auth-login'],
    ['GET', '/api/devices/{device_id}/files/{path*}', 'API-EP-GET-devices-device_id-files-path'],
    ['GET', '/api/users/{user_id}/avatar/{avatar_id?}', 'API-EP-GET-users-user_id-avatar-avatar_id'],
    ['GET', '/healthz', 'API-EP-GET-healthz'],
    ['GET', '/ota/{bundle_id}/{name*}', 'API-DEV-GET-ota-bundle_id-name', deviceListenerTag],
  ] as const)('%s %s is %s', (method, path, id, tag: string = 'Users') => {
    expect(clauseOf({ method, path, tag })).toBe(id);
  });
});
