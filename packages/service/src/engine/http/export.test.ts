import { contract, endpointsOf, isBinary } from '@moorage/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { buildSampleServer, type SampleServer } from '../../testing/sample-server.ts';
import { columnsOf, exportForms } from './export.ts';

// API-RULE-export-1
describe('a list as a file', () => {
  let server: SampleServer;
  beforeAll(async () => {
    server = await buildSampleServer();
  });
  afterAll(() => server.app.close());

  it('is all of it, whatever the page, with the fields of the contract and no others', async () => {
    const reply = await server.app.inject({ url: '/things?format=csv&limit=1&offset=3' });
    expect(reply.payload).toBe('\ufeffn,label\r\n0,\r\n1,n1\r\n2,n2\r\n3,n3\r\n4,n4\r\n');
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="things.csv"',
    });
    const lines = await server.app.inject({ url: '/things?format=jsonl' });
    expect(lines.headers['content-type']).toBe('application/jsonl; charset=utf-8');
    const [first] = lines.payload.split('\n');
    expect([lines.payload.split('\n').length, first]).toEqual([6, '{"n":0,"label":null}']);
  });

  it('is in no other form', async () => {
    const reply = await server.app.inject({ url: '/things?format=xlsx' });
    expect(reply.json()).toMatchObject({ statusCode: 400, validation: { keys: ['format'] } });
  });

  const columns = columnsOf({
    properties: {
      title: { type: 'string' },
      at: { type: 'string', pattern: '^\\d{1,16}$' },
      place: { anyOf: [{ properties: { lat: { type: 'number' } } }, { type: 'null' }] },
      data: { type: 'object' },
    },
  });
  const csv = (item: object) => exportForms.csv.row(columns, JSON.stringify(item));

  it.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['＝1', "'＝1"],
    ['a, "b"', '"a, ""b"""'],
    ['two\nlines', '"two\nlines"'],
    ['1-2', '1-2'],
  ])('has no formulas in it, and quotes where it must: %j', (title, cell) => {
    expect(csv({ title, at: null })).toBe(`${cell},,,\r\n`);
  });

  it('has moments as dates, numbers as numbers, fields of objects in columns and the rest as JSON', () => {
    expect(columns.map(({ path }) => path.join('.'))).toEqual(['title', 'at', 'place.lat', 'data']);
    expect(csv({ title: '', at: '1700000000000', place: { lat: -3.5 }, data: { a: 1 } })).toBe(
      ',2023-11-14T22:13:20.000Z,-3.5,"{""a"":1}"\r\n',
    );
    expect(csv({ title: '', at: '9999999999999999', place: null, data: {} })).toBe(',9999999999999999,,{}\r\n');
  });

  it('has columns for every list of the contract', () => {
    const lists = endpointsOf(contract).filter(({ shape }) => shape.paged);
    const bare = lists.filter(({ shape }) => {
      const { items } = isBinary(shape.reply) ? { items: {} } : (shape.reply as { readonly items?: object });
      return columnsOf(items ?? {}).some(({ path }) => path.length === 0);
    });
    expect(lists.length).toBeGreaterThan(20);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});

// API-RULE-export-1
eachDatabase('a list of more devices than a page has', (open) => {
  it('is whole as a file, with the rights and filters of the list', async () => {
    const app = await buildApp(await open());
    const [user, other] = [await app.make.user(), await app.make.user()];
    const platform = await app.make.platform();
    const at = { platform_id: platform.id, product_id: platform.product_id };
    const made = Array.from({ length: 520 }, (_, number) =>
      app.make.device({ ...at, user_id: user.id, title: number === 7 ? '=cmd' : `Buoy ${number}` }),
    );
    await Promise.all([...made, app.make.device({ ...at, user_id: other.id, title: 'Foreign' })]);
    const get = (query: string, token: string) =>
      app.api.inject({ url: `/api/devices?${query}`, headers: { authorization: `Bearer ${token}` } });
    const all = (await get('format=csv&sort=title', user.token)).payload.trimEnd().split('\r\n');
    expect(all.length).toBe(521);
    expect(all.filter((row) => row.includes("'=cmd")).length).toBe(1);
    expect(all.join()).not.toContain('Foreign');
    const few = (await get('format=jsonl&q=buoy+51', user.token)).payload.trimEnd().split('\n');
    expect(few.map((row) => JSON.parse(row).title).toSorted()).toEqual(
      ['Buoy 51', ...Array.from({ length: 10 }, (_, number) => `Buoy 51${number}`)].toSorted(),
    );
    expect((await get('format=csv&filter=%3D%3D', user.token)).json()).toMatchObject({ statusCode: 400 });
    expect((await get('format=csv', 'none')).statusCode).toBe(401);
  });
});
