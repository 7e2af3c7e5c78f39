import { randomUUID } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

eachDatabase('records that are asked for at the same time', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const read = (who: Person, identifier: string) => world.as(who).call('devices.get', { params: { identifier } });

  it('are those that each caller gets alone', async () => {
    const devices = await Promise.all(
      Array.from({ length: 11 }, (_, at) => world.deviceOf('owner', { mac: `02:00:00:00:00:${at + 10}` })),
    );
    const names = [...devices.flatMap(({ id, uuid, mac }) => [id, uuid, mac ?? '']), randomUUID()];
    const people: readonly Person[] = ['owner', 'tester', 'stranger'];
    const asked = people.flatMap((who) => names.map((name) => ({ who, name })));
    const alone = [];
    for (const { who, name } of asked) alone.push(await read(who, name));
    expect(new Set(alone.map(outcome))).toEqual(new Set(['ok', 'NOT_FOUND']));

    await world.app.storage.db.updateTable('devices').set({ title: 'Renamed' }).execute();
    const together = await Promise.all(asked.map(({ who, name }) => read(who, name)));
    expect(together.map(outcome)).toEqual(alone.map(outcome));
    for (const [at, result] of together.entries()) {
      if (!result.ok) continue;
      expect(result.value.value).toEqual({ ...unwrap(alone[at] ?? result).value, title: 'Renamed' });
    }
  });
});
