import { rigCapabilities } from '@moorage/device/testing/capabilities';
import { describe, expect, test } from 'vitest';
import { cloudRig } from '../testing/cloud-rig.ts';

const capabilities = {
  ...rigCapabilities,
  streams: {
    door: { type: 'number', min: 0, max: 1 },
    level: { type: 'number', min: 0, max: 3000 },
    flag: { type: 'string' },
  },
};

/** A module in SOLO mode that has been on for a moment. */
async function rig(...settings: string[]) {
  const made = await cloudRig();
  await made.writeFile('solo.json', JSON.stringify(capabilities));
  for (const line of ['set cloud.solo.enabled 1', ...settings]) {
    const answer = await made.run(line);
    if (answer.at(-1) !== '0 Set OK') throw new Error(`${line}: ${answer}`);
  }
  await made.run('cloud_activate ada secret solo.json');
  /** Lets time go by in steps, so that what takes some turns of the event loop is not overtaken by it. */
  const pass = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += 100) await made.clock.advance(Math.min(100, ms - gone));
    for (let turns = 0; turns < 20; turns++) await made.clock.advance(0);
  };
  await pass(3000);
  const calls = () => made.peer.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  calls();
  return { ...made, calls, pass };
}

const exchange = ['POST /device/v1/data', 'GET /device/v1/controls'];

/** Spec: MOD-VAR-cloud.solo.enabled. */
describe('SOLO mode', () => {
  // MOD-VAR-cloud.solo.gpio
  test('samples pins for streams: levels, and millivolts where the board can measure', async () => {
    const { module, peer, pass } = await rig(
      'set cloud.solo.gpio 10 door',
      'set cloud.solo.gpio 11 level',
      'set cloud.solo.gpio 13 flag',
    );
    module.pins.drive(10, 1);
    module.pins.analog(11, 1.25);
    peer.data.samples.length = 0;
    await pass(10_000);
    expect(peer.data.samples).toEqual([
      { n: 'door', v: 1, t: 0 },
      { n: 'level', v: 1250, t: 0 },
      { n: 'flag', v: '0', t: 0 },
    ]);
    // What is out of the range of its stream is no sample; the time is sent as soon as it is known.
    module.pins.analog(11, 3.2);
    module.rtc.set(1_700_000_000_000);
    peer.data.samples.length = 0;
    await pass(10_000);
    expect(peer.data.samples.map(({ n }) => n)).toEqual(['door', 'flag']);
    expect(peer.data.samples[0]?.t).toBeGreaterThanOrEqual(1_700_000_000);
  });

  test('drives pins from controls: at boot, with each pull, and when a host writes one', async () => {
    const { module, peer, pass, run } = await rig('set cloud.solo.gpio 5 led1', 'set cloud.solo.gpio 6 mode');
    expect([module.pins.level(5), module.pins.level(6)]).toEqual([0, 0]);
    peer.data.controls.set('led1', { v: 1, t: 1_700_000_000 }).set('mode', { v: 'on', t: 1_700_000_000 });
    await pass(10_000);
    expect([module.pins.level(5), module.pins.level(6)]).toEqual([1, 1]);
    await run('cloud_write mode off');
    expect(module.pins.level(6)).toBe(0);
    module.client.act({ action: 'control', controls: [{ n: 'led1', v: 0, t: 1_700_000_010 }] });
    await pass(0);
    expect(module.pins.level(5)).toBe(0);
    await run('cloud_write led1 1');
    // Before the first exchange of a new boot it is what it was.
    await module.reboot();
    expect(module.pins.level(5)).toBe(1);
    // The mapping acts at once.
    await run('set cloud.solo.gpio 5 none');
    await run('set cloud.solo.gpio 7 led1');
    expect([module.pins.level(5), module.pins.level(7)]).toEqual([0, 1]);
    await run('gpio_dir 7 none');
    expect(module.pins.level(7)).toBe(0);
  });

  // MOD-VAR-cloud.solo.sync_period
  test('exchanges after every period of the module clock; a new period acts at once', async () => {
    const { calls, pass, run } = await rig('set cloud.solo.sync_period 60', 'set cloud.solo.gpio 3 door');
    await pass(50_000);
    expect(calls()).toEqual([]);
    await pass(10_000);
    expect(calls()).toEqual(exchange);
    await run('set cloud.solo.sync_period 4000000000');
    await pass(90_000);
    expect(calls()).toEqual([]);
    await run('set cloud.solo.sync_period 5');
    await pass(0);
    expect(calls()).toEqual(exchange);
    await pass(5_000);
    expect(calls()).toEqual(exchange);
  });

  test('says once that an exchange has failed, keeps the samples, and goes on', async () => {
    const { peer, pass, printed, network } = await rig('set cloud.solo.gpio 3 door');
    printed.length = 0;
    peer.data.samples.length = 0;
    network.conditions = () => ({ cutAfterSentBytes: 10 });
    await pass(30_000);
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(/^Not pushed: /);
    network.conditions = () => ({});
    await pass(10_000);
    expect(peer.data.samples).toHaveLength(4);
  });

  test('leaves a network down that was taken down, and goes on sampling', async () => {
    const { calls, pass, run, peer } = await rig('set cloud.solo.gpio 3 door');
    await run('network_down');
    peer.data.samples.length = 0;
    await pass(30_000);
    expect(calls()).toEqual([]);
    await run('cloud_sync push');
    expect(peer.data.samples).toHaveLength(3);
  });

  test('ends with the activation, and does not begin without one', async () => {
    const { calls, pass, run, module, printed } = await rig();
    await run('cloud_deactivate ada secret');
    calls();
    await pass(60_000);
    expect(calls()).toEqual([]);
    printed.length = 0;
    await module.reboot();
    await pass(60_000);
    expect(printed).toEqual(['[Disassociated]', module.versionLine, '[Ready]']);
  });

  test('is off without its variable, and ends with the power', async () => {
    const { calls, pass, run, module } = await rig();
    await run('set cloud.solo.enabled 0');
    await run('save');
    await module.reboot();
    await pass(60_000);
    expect(calls()).toEqual([]);
    await module.close();
    await pass(60_000);
    expect(calls()).toEqual([]);
  });
});
