import type { CallFailure, Client } from '@moorage/api';
import type { Result } from '@moorage/base';
import type { Storage } from '../engine/db/storage.ts';
import { buildApp, type TestApp } from './build-app.ts';
import type { Fixtures, MadeUser } from './fixtures.ts';

/** `ok`, or the code of the refusal. */
export const outcome = (reply: Result<unknown, CallFailure>): string => (reply.ok ? 'ok' : reply.error.body.code);

export type Person = 'owner' | 'stranger' | 'maker' | 'manager' | 'tester' | 'admin';

/** A platform, a product of `maker` on it, and a person in each role towards the devices of `owner`. */
export interface DeviceWorld {
  readonly app: TestApp;
  readonly people: Readonly<Record<Person, MadeUser>>;
  readonly platform: Awaited<ReturnType<Fixtures['platform']>>;
  readonly product: Awaited<ReturnType<Fixtures['product']>>;
  /** The client of a person. */
  as(person: Person): Client;
  /** A device of a person, activated to the product. */
  deviceOf(owner: Person | null, more?: object): ReturnType<Fixtures['device']>;
  logsOf(deviceId: string): Promise<{ type: string; user_id: string | null }[]>;
}

/** Makes the people and things that tests of devices begin with. */
export async function deviceWorld(storage: Storage): Promise<DeviceWorld> {
  const app = await buildApp(storage);
  const { make } = app;
  const people = {
    owner: await make.user(),
    stranger: await make.user(),
    maker: await make.user(),
    manager: await make.user(),
    tester: await make.user(),
    admin: await make.admin(),
  };
  const platform = await make.platform();
  const product = await make.product({ platform_id: platform.id, user_id: people.maker.id });
  await make.member(product.id, people.manager.id, 'manager');
  await make.member(product.id, people.tester.id, 'tester');
  const at = { platform_id: platform.id, product_id: product.id };
  return {
    app,
    people,
    platform,
    product,
    as: (person) => app.client.as(people[person].token),
    deviceOf: (owner, more) => make.device({ ...at, user_id: owner === null ? null : people[owner].id, ...more }),
    logsOf: (deviceId) =>
      storage.db
        .selectFrom('logs')
        .select(['type', 'user_id'])
        // A row of several names them in its data.
        .where((eb) => eb.or([eb('device_id', '=', deviceId), eb('data', 'like', `%"devices":[%${deviceId}%`)]))
        .orderBy('created_at')
        .execute(),
  };
}
