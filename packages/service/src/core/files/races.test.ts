import { storeLimits } from '@moorage/api';
import { beforeAll, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

// API-LIMIT-file
eachDatabase('writers of one store at once', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const write = (deviceId: string, path: string, payload = path, conditions: Record<string, string> = {}) =>
    world.app.api.inject({
      method: 'POST',
      url: `/api/devices/${deviceId}/files/${path}`,
      headers: { authorization: `Bearer ${world.people.owner.token}`, ...conditions },
      payload: Buffer.from(payload),
    });
  const remove = (deviceId: string, path: string) =>
    world.app.api.inject({
      method: 'DELETE',
      url: `/api/devices/${deviceId}/files/${path}`,
      headers: { authorization: `Bearer ${world.people.owner.token}` },
    });
  const stored = async (deviceId: string) =>
    (await world.app.storage.db.selectFrom('files').select('path').where('device_id', '=', deviceId).execute()).length;

  it('all get their files in', async () => {
    const { id } = await world.deviceOf('owner');
    const replies = await Promise.all(Array.from({ length: 24 }, (_, number) => write(id, `file ${number}`)));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(24).fill(200));
    expect(await stored(id)).toBe(24);
  });

  it('never get more in than it holds', async () => {
    const { id } = await world.deviceOf('owner');
    const content = await world.app.make.stored(Buffer.from('x'));
    const row = { ...content, device_id: id, product_id: null, mime: 'text/plain', version: null };
    const rows = Array.from({ length: storeLimits.files - 2 }, (_, number) => ({
      ...{ ...row, id: crypto.randomUUID(), path: `f${number}`, created_at: 0, updated_at: 0 },
    }));
    for (let at = 0; at < rows.length; at += 500) {
      await world.app.storage.db
        .insertInto('files')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    const replies = await Promise.all(Array.from({ length: 8 }, (_, number) => write(id, `new${number}`)));
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 409, 409, 409, 409, 409, 409]);
    expect(await stored(id)).toBe(storeLimits.files);
  });

  it('that replace what they have seen do so once', async () => {
    const { id } = await world.deviceOf('owner');
    const race = async (conditions: Record<string, string>, word: string) => {
      const numbers = Array.from({ length: 8 }, (_, number) => number);
      const replies = await Promise.all(numbers.map((number) => write(id, 'a', `${word} ${number}`, conditions)));
      expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array(7).fill(412)]);
    };
    await race({ 'if-none-match': '*' }, 'made');
    const seen = await world.app.api.inject({
      url: `/api/devices/${id}/files/a`,
      headers: { authorization: `Bearer ${world.people.owner.token}` },
    });
    await race({ 'if-match': String(seen.headers.etag) }, 'changed');
  });

  it('of whom one deletes what another writes leave the file whole or absent', async () => {
    const { id } = await world.deviceOf('owner');
    await write(id, 'a');
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, number) => (number % 2 === 0 ? write(id, 'a') : remove(id, 'a'))),
    );
    for (const { statusCode } of replies) expect([200, 404]).toContain(statusCode);
    const there = await stored(id);
    const file = await world.app.api.inject({
      url: `/api/devices/${id}/files/a`,
      headers: { authorization: `Bearer ${world.people.owner.token}` },
    });
    expect([file.statusCode, there]).toEqual(there === 1 ? [200, 1] : [404, 0]);
  });
});
