import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyReleaseCandidate } from '../../../core/bundles/tags.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { menderArtifact, tarOf } from '../../../testing/mender-artifact.ts';
import { menderApi as api, deployments, type MenderWorld, menderWorld, newMac } from '../../../testing/mender-world.ts';

eachDatabase('Mender, artifacts and failures', (open) => {
  let world: MenderWorld;
  beforeAll(async () => {
    world = await menderWorld(await open());
  });
  const opened = (more: object = {}) => world.opened(more);
  const menderClient: MenderWorld['menderClient'] = (...of) => world.menderClient(...of);
  const updatesOf = (mac: string) => world.updatesOf(mac);

  it.each(['inventory', 'next'] as const)('a device that was mended by hand is up to date, by its %s', async (way) => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    const bundle = await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    await client.say(id, 'failure');
    const inventory = [{ name: 'artifact_name', value: 'rel-2' }];
    if (way === 'next') expect((await client.next('rel-2')).status).toBe(204);
    else expect((await client.call('PUT', `${api}/inventory/device/attributes`, inventory)).status).toBe(200);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed' }, { state: 'done', to_bundle_id: bundle.id }]);
    expect(await world.deviceNamed(mac)).toMatchObject({ bversion: expect.stringContaining(bundle.version) });
    expect((await client.next('rel-2')).status).toBe(204);
    expect(await updatesOf(mac)).toHaveLength(2);
  });

  it('the log of a failure, which comes after it, says why', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    for (const status of ['downloading', 'installing', 'failure']) await client.say(id, status);
    expect(await updatesOf(mac)).toMatchObject([{ reason: 'The client reports a failure' }]);
    const messages = [
      { level: 'info', message: 'begin' },
      { level: 'error', message: 'The module \0failed' },
      { level: 'info', message: 'rolled back' },
    ];
    expect((await client.call('PUT', `${deployments}/${id}/log`, { messages })).status).toBe(204);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed', reason: 'The module failed' }]);
  });

  // API-RULE-artifact-1
  it.each(['resource', 'artifact', 'copy of a release candidate'] as const)(
    'an artifact added as a %s is offered',
    async (way) => {
      const { upload, draft, token } = await opened();
      const { id } = await draft();
      const bytes = menderArtifact('rel-9', ['moor-board']);
      const add = (filename: string, base64: string) =>
        world.api.call('bundles.addResource', { params: { bundle_id: id }, body: { filename, base64 } });
      if (way === 'artifact') expect((await upload(id, 'image.mender', bytes)).statusCode).toBe(200);
      else unwrap(await add('image.mender', Buffer.from(bytes).toString('base64')));
      expect(await add('other.mender', Buffer.from('garbage').toString('base64'))).toMatchObject({
        ok: false,
        error: { status: 400, body: { code: 'WRONG_ARTIFACT' } },
      });
      const params = { bundle_id: id };
      unwrap(await world.api.call('bundles.setState', { params, body: { state: 'published' } }));
      unwrap(await world.api.call('bundles.setTag', { params, body: { tag: 'release' } }));
      if (way === 'copy of a release candidate') return expectCopied(id);
      const client = menderClient(newMac(), token);
      await client.authenticate();
      expect(JSON.parse((await client.next('rel-1')).text)).toMatchObject({ artifact: { artifact_name: 'rel-9' } });
      return undefined;
    },
  );

  /** The product that a bundle is copied to has what its files say of themselves. */
  async function expectCopied(bundleId: string) {
    const { db } = world.app.storage;
    const from = await db.selectFrom('bundles').selectAll().where('id', '=', bundleId).executeTakeFirstOrThrow();
    const to = await world.app.make.product({ platform_id: world.platform.id, user_id: world.owner.id });
    const at = { productId: to.id, userId: world.owner.id, atMs: 1 };
    expect(await world.app.storage.transaction((trx) => copyReleaseCandidate(trx, from.product_id, at))).toBe(true);
    const headers = db
      .selectFrom('artifact_headers as h')
      .innerJoin('resources as r', 'r.id', 'h.resource_id')
      .innerJoin('bundles as b', 'b.id', 'r.bundle_id')
      .select('h.name')
      .where('b.product_id', '=', to.id);
    expect(await headers.execute()).toEqual([{ name: 'rel-9' }]);
  }

  describe('an artifact that is none is refused at upload', () => {
    it.each([
      ['image.mender', Buffer.from('no tar'), /no tar archive/],
      ['image.mender', menderArtifact('', ['x']), /names no artifact/],
      ['image.mender', menderArtifact('x', []), /no types of devices/],
      ['image.swu', Buffer.from('no cpio'), /no cpio archive/],
      ['image.swu', Buffer.from(`070701${'0'.repeat(104)}other-file`), /sw-description/],
    ])('%s', async (name, bytes, reason) => {
      const { upload, draft } = await opened();
      const reply = await upload((await draft()).id, name, bytes);
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'WRONG_ARTIFACT']);
      expect(reply.json().message).toMatch(reason);
    });

    /** An archive for SWUpdate that says this of itself. */
    const swuOf = (text: string) => {
      const body = Buffer.from(`software = { ${text} }`);
      const field = (value: number) => value.toString(16).padStart(8, '0').toUpperCase();
      const name = 'sw-description\0';
      const fields = [1, 0o100644, 0, 0, 1, 0, body.length, 0, 0, 0, 0, name.length, 0].map(field).join('');
      const head = Buffer.from(`070702${fields}${name}`);
      return Buffer.concat([head, Buffer.alloc((4 - (head.length % 4)) % 4), body]);
    };

    it('and so is an archive for SWUpdate that contradicts another of the bundle, or its version', async () => {
      const { upload, draft } = await opened();
      const { id, version } = await draft();
      const add = async (name: string, text: string) => {
        const reply = await upload(id, name, swuOf(text));
        return reply.statusCode === 200 ? 200 : reply.json().message;
      };
      const hardware = (of: string) => `hardware-compatibility: [ ${of} ];`;
      expect(await add('one.swu', `version = "1.0.1"; ${hardware('"1.0", "1.1"')}`)).toBe(200);
      expect(await add('same.swu', `version = "1.0.1"; ${hardware('"1.1"')}`)).toBe(200);
      expect(await add('two.swu', `version = "1.0.2"; ${hardware('"1.0"')}`)).toMatch(/"1\.0\.2".*"1\.0\.1"/);
      expect(await add('boot/loader.swu', 'version = "7";')).toBe(200);
      expect(await add('radio/r.swu', `version = "7"; ${hardware('"2.0"')}`)).toMatch(/hardware "2\.0"/);
      expect(await add('sealed.swu', 'encrypted')).toBe(200);
      expect(await add('9.swu', 'version = "9.0.0.1";')).toContain(`"9.0.0.1", and that of the bundle is "${version}"`);
      expect(await add('fan/9.swu', 'version = "9.0.0.1";')).toBe(200);
    });

    it('and one whose header is packed by xz, with what to do', async () => {
      const { upload, draft } = await opened();
      const version = Buffer.from('{"format":"mender","version":3}');
      const reply = await upload((await draft()).id, 'x.mender', tarOf({ version, 'header.tar.xz': Buffer.from('x') }));
      expect(reply.json().message).toMatch(/--compression gzip/);
    });

    it('and so is one of another release', async () => {
      const { upload, draft } = await opened();
      const { id } = await draft();
      expect((await upload(id, 'a.mender', menderArtifact('rel-1', ['a']))).statusCode).toBe(200);
      expect((await upload(id, 'b.mender', menderArtifact('rel-1', ['b']))).statusCode).toBe(200);
      expect((await upload(id, 'c.mender', menderArtifact('rel-2', ['c']))).statusCode).toBe(400);
    });
  });
});
