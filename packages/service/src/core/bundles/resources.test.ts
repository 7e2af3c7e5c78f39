import { createHash } from 'node:crypto';
import type { Client } from '@moorage/api';
import { crc16, formatCrc16, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('resources of a bundle', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  let client: Client;
  let product_id: string;
  let firmware_id: string;

  beforeAll(async () => {
    app = await buildApp(await open());
    const platform = await app.make.platform();
    owner = await app.make.user();
    client = app.client.as(owner.token);
    product_id = (await app.make.product({ platform_id: platform.id, user_id: owner.id })).id;
    firmware_id = (await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id })).id;
  });

  const bundleIn = async (state: 'preview' | 'published' | 'archive') =>
    (await app.make.bundle({ product_id, firmware_id, user_id: owner.id, state })).id;
  const add = (bundle_id: string, body: object) => client.call('bundles.addResource', { params: { bundle_id }, body });
  const resources = async (bundle_id: string) =>
    unwrap(await client.call('bundles.get', { params: { bundle_id } })).value.resources;
  const download = (bundle_id: string, resource_id: string, headers: Record<string, string> = {}) =>
    app.api.inject({
      url: `/api/bundles/${bundle_id}/resources/${resource_id}/binary`,
      headers: { authorization: `Bearer ${owner.token}`, ...headers },
    });
  const logsOf = async (bundle_id: string) =>
    (await app.storage.db.selectFrom('logs').select('type').where('bundle_id', '=', bundle_id).execute()).map(
      ({ type }) => type,
    );

  describe('adding', () => {
    // API-EP-POST-bundles-bundle_id-resources, API-RULE-bundle-create-5, API-FIELD-resource-size
    // API-VER-2, API-FIELD-resource-id, API-FIELD-resource-filename, API-FIELD-resource-type,
    // API-FIELD-resource-version, API-FIELD-resource-mime, API-FIELD-resource-base64, API-FIELD-resource-exclude
    it('file is kept with what it says of itself, and its bytes come back', async () => {
      const bundle_id = await bundleIn('preview');
      const bytes = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256));
      const described = { filename: 'web/index.html', type: 'WIFI_FW', version: '0.0.0.1', mime: 'text/x-test' };
      const added = unwrap(
        await add(bundle_id, { ...described, base64: bytes.toString('base64'), exclude: true }),
      ).value;
      expect(added).toEqual({ id: added.id, size: 300 });
      const crc = formatCrc16(crc16(bytes)).toLowerCase();
      const created_at = String(app.clock.now());
      expect(await resources(bundle_id)).toEqual([{ ...described, ...added, exclude: true, crc, created_at }]);
      const file = await download(bundle_id, added.id);
      expect(file.rawPayload.equals(bytes)).toBe(true);
      // API-RULE-files-4
      expect(file.headers).toMatchObject({
        'content-type': 'text/x-test',
        'content-length': '300',
        etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
        'last-modified': new Date(app.clock.now()).toUTCString(),
      });
      expect(await logsOf(bundle_id)).toEqual(['resource.add']);
    });

    it('file that says nothing gets every default', async () => {
      const bundle_id = await bundleIn('preview');
      const { id } = unwrap(await add(bundle_id, {})).value;
      expect(await resources(bundle_id)).toMatchObject([
        {
          filename: `resource-${id.slice(0, 8)}.bin`,
          type: 'MISC_FIX_LEN',
          version: '1.0.0.0',
          mime: 'application/octet-stream',
          exclude: false,
          size: 0,
          crc: 'ffff',
        },
      ]);
      expect((await download(bundle_id, id)).rawPayload).toHaveLength(0);
    });

    it('media type follows the extension, and a hex byte is a type', async () => {
      const bundle_id = await bundleIn('preview');
      unwrap(await add(bundle_id, { filename: 'a.html', base64: 'YQ==', type: 'fd' }));
      expect(await resources(bundle_id)).toMatchObject([{ mime: 'text/html', type: 'fd' }]);
    });

    it('file of over 100 KiB arrives whole, and in parts', async () => {
      const bundle_id = await bundleIn('preview');
      const bytes = Buffer.alloc(150_000, 'moorage ');
      const { id } = unwrap(await add(bundle_id, { base64: bytes.toString('base64') })).value;
      expect((await download(bundle_id, id)).rawPayload.equals(bytes)).toBe(true);
      const part = await download(bundle_id, id, { range: 'bytes=149990-' });
      expect([part.statusCode, part.rawPayload.toString()]).toEqual([206, bytes.subarray(149_990).toString()]);
      const outside = await download(bundle_id, id, { range: 'bytes=150000-' });
      expect([outside.statusCode, outside.json().code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
    });

    it('equal contents in two bundles outlive the removal of one', async () => {
      const [one, two] = [await bundleIn('preview'), await bundleIn('preview')];
      const [first, second] = [
        unwrap(await add(one, { base64: 'dHdpbg==' })).value,
        unwrap(await add(two, { base64: 'dHdpbg==' })).value,
      ];
      unwrap(await client.call('bundles.removeResource', { params: { bundle_id: one, resource_id: first.id } }));
      expect((await download(two, second.id)).body).toBe('twin');
    });

    it('name that the bundle has is refused, in another bundle it is free', async () => {
      const bundle_id = await bundleIn('preview');
      unwrap(await add(bundle_id, { filename: 'a.txt' }));
      expect(await add(bundle_id, { filename: 'a.txt', base64: 'YQ==' })).toMatchObject({
        error: { status: 409, body: { code: 'DUPLICATE', message: 'File "a.txt" exists already' } },
      });
      unwrap(await add(await bundleIn('preview'), { filename: 'a.txt' }));
    });

    it.each([
      [{ base64: '?' }, 'INVALID_BASE64', 'base64'],
      [{ base64: 'YQ=' }, 'INVALID_BASE64', 'base64'],
      [{ base64: 7 }, 'INVALID_REQUEST', 'base64'],
      [{ version: '1.2.3' }, 'INVALID_VERSION', 'version'],
      [{ version: '1.2.3.99999' }, 'INVALID_VERSION', 'version'],
      [{ filename: '' }, 'INVALID_REQUEST', 'filename'],
      [{ filename: 'x'.repeat(96) }, 'INVALID_REQUEST', 'filename'],
      [{ filename: 'tab\there' }, 'INVALID_REQUEST', 'filename'],
      [{ filename: 'größe' }, 'INVALID_REQUEST', 'filename'],
      [{ type: 'lower_case' }, 'INVALID_REQUEST', 'type'],
      [{ type: '' }, 'INVALID_REQUEST', 'type'],
      [{ type: 'X'.repeat(33) }, 'INVALID_REQUEST', 'type'],
      [{ mime: 'nothing' }, 'INVALID_REQUEST', 'mime'],
      [{ mime: 'text/html\r\nx: y' }, 'INVALID_REQUEST', 'mime'],
      [{ exclude: 'yes' }, 'INVALID_REQUEST', 'exclude'],
    ])('file %j is refused, naming the field', async (body, code, key) => {
      const bundle_id = await bundleIn('preview');
      expect(await add(bundle_id, body)).toMatchObject({
        error: { status: 400, body: { code, validation: { source: 'body', keys: [key] } } },
      });
      expect(await resources(bundle_id)).toEqual([]);
    });

    it('body that is over the limit is refused', async () => {
      const bundle_id = await bundleIn('preview');
      expect(await add(bundle_id, { base64: 'A'.repeat(16 * 1024 * 1024) })).toMatchObject({
        error: { status: 413, body: { code: 'BODY_TOO_LARGE' } },
      });
    });
  });

  // API-RULE-bundle-state-1
  it.each(['published', 'archive'] as const)('of a bundle in %s cannot change', async (state) => {
    const bundle_id = await bundleIn(state);
    const resource = await app.make.resource(Buffer.from('x'), { bundle_id });
    const frozen = { error: { status: 409, body: { code: 'BUNDLE_FROZEN' } } };
    expect(await add(bundle_id, { base64: 'YQ==' })).toMatchObject(frozen);
    const params = { bundle_id, resource_id: resource.id };
    expect(await client.call('bundles.removeResource', { params })).toMatchObject(frozen);
    expect(await resources(bundle_id)).toHaveLength(1);
    // They can still be read.
    expect((await download(bundle_id, resource.id)).body).toBe('x');
  });

  // API-EP-DELETE-bundles-bundle_id-resources-resource_id, API-ERR-2
  it('removal answers ok, and the file is gone', async () => {
    const bundle_id = await bundleIn('preview');
    const { id: resource_id } = unwrap(await add(bundle_id, { base64: 'YQ==' })).value;
    const params = { bundle_id, resource_id };
    expect(unwrap(await client.call('bundles.removeResource', { params })).value).toEqual({ result: 'ok' });
    expect(await resources(bundle_id)).toEqual([]);
    const notFound = { error: { status: 404, body: { code: 'NOT_FOUND', message: 'Resource not found' } } };
    expect(await client.call('bundles.removeResource', { params })).toMatchObject(notFound);
    expect(await client.call('bundles.binary', { params })).toMatchObject(notFound);
    expect(await logsOf(bundle_id)).toEqual(['resource.add', 'resource.delete']);
  });

  it('of another bundle, or unknown, is not found', async () => {
    const [one, two] = [await bundleIn('preview'), await bundleIn('preview')];
    const { id } = unwrap(await add(one, { base64: 'YQ==' })).value;
    for (const resource_id of [id, unknownId]) {
      const params = { bundle_id: two, resource_id };
      expect(await client.call('bundles.binary', { params })).toMatchObject({ error: { status: 404 } });
      expect(await client.call('bundles.removeResource', { params })).toMatchObject({ error: { status: 404 } });
    }
  });

  // API-EP-GET-bundles-bundle_id-resources-resource_id-binary
  it('that has not changed is not sent again', async () => {
    const bundle_id = await bundleIn('preview');
    const { id } = unwrap(await add(bundle_id, { base64: 'YQ==' })).value;
    const etag = String((await download(bundle_id, id)).headers.etag);
    expect((await download(bundle_id, id, { 'if-none-match': etag })).statusCode).toBe(304);
  });

  // API-ERR-412
  it('is removed only as what the client has seen', async () => {
    const bundle_id = await bundleIn('preview');
    const { id } = unwrap(await add(bundle_id, { base64: 'YQ==' })).value;
    const { etag } = (await download(bundle_id, id)).headers;
    const remove = (tag: string) =>
      app.api.inject({
        method: 'DELETE',
        url: `/api/bundles/${bundle_id}/resources/${id}`,
        headers: { authorization: `Bearer ${owner.token}`, 'if-match': tag },
      });
    expect((await remove('"other"')).json()).toMatchObject({ statusCode: 412, code: 'FILE_CHANGED' });
    expect((await remove(String(etag))).statusCode).toBe(200);
  });
});
