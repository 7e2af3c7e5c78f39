import { type Clock, realClock } from '@moorage/base';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { must } from '../packages/moorage/src/up/example.ts';
import { claim, type Harbour, openHarbour, provision, updateLanded } from './harbour.ts';

eachDatabase('the authority', (open) => {
  let harbour: Harbour | undefined;
  afterEach(async () => {
    await harbour?.close();
    harbour = undefined;
  });

  // API-RULE-authority-3, MOD-ID-authority
  test('is replaced under a module that knows the old one, which then is retired; the next update lands', async () => {
    let aheadMs = 0;
    const serviceClock: Clock = { ...realClock, now: () => realClock.now() + aheadMs };
    const it = await openHarbour(await open(), { serviceClock });
    harbour = it;
    await provision(it);
    await claim(it);
    const read = async (name: string) => {
      const content = await it.module.flash.readAll(name, 65_536);
      return content.ok ? Buffer.from(content.value).toString() : '';
    };
    const former = { ca: await read('ca.pem'), certificate: await read('device.crt') };
    must(await it.client.call('identity.rotate', {}));
    aheadMs = 61_000;
    await it.service.identity.refresh();
    const refused = await it.client.call('identity.retire', { body: {} });
    expect(refused).toMatchObject({ ok: false, error: { body: { code: 'DEVICES_STRANDED' } } });
    // Whatever it asks, the answer says that it is to renew.
    await it.run('dms info');
    expect(await read('ca.pem')).toBe(it.service.identity.ca);
    expect(await read('ca.pem')).toContain(former.ca);
    expect(await read('device.crt')).not.toBe(former.certificate);
    const states = must(await it.client.call('identity.retire', { body: {} }));
    expect(states.map(({ state, devices }) => `${state} ${devices}`)).toEqual(['active 1', 'retired 0']);
    expect(it.service.identity.ca).not.toContain(former.ca);
    const landed = updateLanded(it);
    await it.run('ota');
    await landed;
    expect(await it.run('get dms.ota_result')).toBe('1');
  });
});
