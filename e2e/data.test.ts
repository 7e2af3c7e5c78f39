import type { Client } from '@moorage/api';
import { seededRandom } from '@moorage/base';
import type { Storage } from '@moorage/service/engine/db/storage';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { type Harbour, openHarbour, provision } from './harbour.ts';

const capabilities = JSON.stringify({
  name: 'Tide gauge',
  version: '1.0.0',
  streams: { level: { type: 'number', min: -10, max: 10 }, status: { type: 'string' } },
  controls: { lamp: { type: 'number', min: 0, max: 1, default: 0 } },
  messages: { 'to-device': true, 'from-device': true },
});

interface Gauge extends Harbour {
  /** The owner of the account that the module is activated with. */
  readonly owner: Client;
  readonly deviceId: string;
  /** Log lines of a command, its code and its text. */
  answer(line: string, data?: string): Promise<readonly string[]>;
}

/** A module that is provisioned, and that an account of the service has activated at the data cloud. */
async function openGauge(storage: Storage): Promise<Gauge> {
  const harbour = await openHarbour(storage);
  await provision(harbour);
  const login = { email: 'ada@harbour.test', password: 'correct horse', username: 'ada' };
  const signup = await harbour.client.call('auth.signup', { body: login });
  if (!signup.ok) throw new Error(signup.error.body.message);
  const owner = harbour.client.as(signup.value.value.token);
  const lines: string[] = [];
  harbour.module.log.attach((line) => lines.push(line));
  const answer = async (line: string, data?: string) => {
    lines.length = 0;
    const { code, text } = await harbour.module.execute(line, data === undefined ? undefined : Buffer.from(data));
    return [...lines, `${code} ${text}`];
  };
  await answer(`file_create gauge.json ${capabilities.length}`, capabilities);
  await harbour.run('cloud_activate ada "correct horse" gauge.json');
  const device = await owner.call('devices.get', { params: { identifier: harbour.module.identity.uuid } });
  if (!device.ok) throw new Error(device.error.body.message);
  return { ...harbour, owner, deviceId: device.value.value.id, answer };
}

async function samplesOf({ owner, deviceId }: Gauge, name: string) {
  const samples = await owner.call('data.samples', { params: { device_id: deviceId, name }, query: { limit: 10_000 } });
  if (!samples.ok) throw new Error(samples.error.body.message);
  return samples.value.value.map(({ at, value }) => ({ at: Number(at), value }));
}

eachDatabase('the data cloud of a module', (open) => {
  let gauge: Gauge | undefined;

  afterEach(async () => {
    await gauge?.close();
    gauge = undefined;
  });

  // MOD-CMD-cloud_activate, MOD-CMD-cloud_write, MOD-CMD-cloud_sync, MOD-CMD-cloud_deactivate
  test('samples and controls go both ways between a host and its users', async () => {
    gauge = await openGauge(await open());
    const { owner, deviceId, run, answer } = gauge;
    const capabilities = await owner.call('data.capabilities', { params: { device_id: deviceId } });
    expect(capabilities).toMatchObject({
      value: { value: { activated: true, user: 'ada', capabilities: { name: 'Tide gauge' } } },
    });

    const before = Date.now();
    await run('cloud_write level,1.5,1700000000|level,-2.25,1700000060');
    await run('cloud_write status "all, well"');
    expect(await samplesOf(gauge, 'level')).toEqual([]);
    await run('cloud_sync push');
    expect(await samplesOf(gauge, 'level')).toEqual([
      { at: 1_700_000_000_000, value: 1.5 },
      { at: 1_700_000_060_000, value: -2.25 },
    ]);
    // MOD-OPT-cloud_write-timestamp: the service has given the time.
    const [status] = await samplesOf(gauge, 'status');
    expect(status?.value).toBe('all, well');
    expect(status?.at).toBeGreaterThanOrEqual(before);

    const params = { device_id: deviceId, name: 'lamp' };
    expect(await run('cloud_read lamp')).toBe('0');
    await run('cloud_write lamp 1');
    const lamp = await owner.call('data.controls', { params: { device_id: deviceId } });
    expect(lamp).toMatchObject({ value: { value: [{ name: 'lamp', value: 1, source: 'device' }] } });
    expect((await owner.call('data.setControl', { params, body: { value: 0 } })).ok).toBe(true);
    await run('cloud_sync pull');
    expect(await run('cloud_read')).toMatch(/^lamp,0,\d{10}$/);

    expect(await answer('cloud_write level 11')).toEqual(['Value of level is over 10', '7 Invalid argument']);
    await run('cloud_deactivate ada "correct horse"');
    expect(await answer('cloud_sync')).toEqual(['Not activated', '1 Command failed']);
  });

  // MOD-CMD-cloud_message, MOD-STREAM-CLOUD
  test('messages go both ways', async () => {
    gauge = await openGauge(await open());
    const { owner, deviceId, run, answer } = gauge;
    const params = { device_id: deviceId };
    const sent = await owner.call('data.postMessage', {
      params,
      body: { data: 'open at noon', headers: { by: 'ada' } },
    });
    const id = sent.ok ? sent.value.value.id : '';
    expect(await run('cloud_message list')).toMatch(new RegExp(`\\r\\n# 0 ${id} \\d{10} 12$`));
    expect(await run('cloud_message get 0')).toBe('0');
    expect(await run('stream_read 0 100')).toBe('open at noon');
    expect(await run('cloud_message get 0 all')).toBe('0');
    expect(await run('stream_read 0 100')).toBe('{"headers":{"by":"ada"},"body":{"data":"open at noon"}}');
    await run(`cloud_message delete ${id}`);
    expect(await run('cloud_message list')).not.toContain(id);

    await run('cloud_message post');
    await answer('stream_write 0 5', 'aye, ');
    await answer('stream_write 0 3', 'aye');
    await run('stream_close 0');
    const posted = await owner.call('data.messages', { params, query: { box: 'from-device' } });
    const answerId = posted.ok ? (posted.value.value[0]?.id ?? '') : '';
    const message = await owner.call('data.message', { params: { ...params, message_id: answerId } });
    expect(message).toMatchObject({ value: { value: { data: 'aye, aye' } } });
  });

  // MOD-OPT-cloud_capabilities-download, MOD-OPT-cloud_capabilities-s
  test('the example of the service sets a module up, which then serves it without a host', async () => {
    gauge = await openGauge(await open());
    const { owner, deviceId, run, module } = gauge;
    await run('cloud_deactivate ada "correct horse"');
    expect(await run('cloud_capabilities list')).toContain('thermostat.json');
    await run('cloud_capabilities download -s');
    expect(await run('cloud_capabilities get')).toBe('thermostat.json');
    expect(await run('get cloud.solo.gpio')).toBe('10,led1');
    await run('set cloud.solo.enabled 1');
    await run('set cloud.solo.sync_period 1');
    await run('cloud_activate ada "correct horse"');
    const params = { device_id: deviceId, name: 'led1' };
    expect((await owner.call('data.setControl', { params, body: { value: 1 } })).ok).toBe(true);
    await expect.poll(() => module.power.state === 'on' && module.pins.level(10)).toBe(1);
    const lamp = await owner.call('data.controls', { params: { device_id: deviceId } });
    const rows = lamp.ok ? lamp.value.value : [];
    expect(rows.find(({ name }) => name === 'led1')).toMatchObject({ value: 1, source: 'user', delivered: true });
  });

  // MOD-DATA-not-activated
  test('an activation that has ended at the service ends here with the next exchange', async () => {
    const storage = await open();
    gauge = await openGauge(storage);
    const { run, answer } = gauge;
    await storage.db.deleteFrom('activations').execute();
    expect(await answer('cloud_sync')).toEqual([
      'Activation has ended at the service',
      'The device is not activated at the data cloud',
      '1 Command failed',
    ]);
    expect(await run('get cloud.status')).toBe('0');
    expect((await answer('cloud_activate ada "correct horse" gauge.json')).at(-1)).toBe('0 Success');
  });

  // MOD-DATA-once, API-DATA-once
  test('samples written while the line is cut and the module restarts arrive once', async () => {
    gauge = await openGauge(await open());
    const { module, wire, answer } = gauge;
    const random = seededRandom('e2e cuts');
    const written: number[] = [];
    let cut = 0;
    for (let step = 0; step < 120; step++) {
      // A handshake is some 4 KiB: the cut falls before it, within it, or into the answer.
      wire.cutAfterBytes = random.below(100) < 50 ? random.below(7000) : undefined;
      const t = 1_700_000_000 + step;
      expect((await answer(`cloud_write level 1 ${t}`)).at(-1)).toBe('0 Success');
      written.push(t * 1000);
      if (step % 3 === 2 && (await answer('cloud_sync push')).at(-1) !== '0 Success') cut++;
      if (step % 40 === 39) await module.reboot();
    }
    wire.cutAfterBytes = undefined;
    expect((await answer('cloud_sync push')).at(-1)).toBe('0 Success');
    expect(cut).toBeGreaterThan(5);
    expect((await samplesOf(gauge, 'level')).map(({ at }) => at)).toEqual(written);
  });
});
