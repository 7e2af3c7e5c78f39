import { rigCapabilities } from '@moorage/device/testing/capabilities';
import { describe, expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { activeRig, cloudRig } from '../testing/cloud-rig.ts';

const address = ['Obtaining IPv4 address via DHCP', 'IPv4 address: 10.5.6.108', '[Associated]'];
const joins = ['[Associating to harbour-open]', 'Security type from probe: Open', ...address];
const activation = 'cloud_activate ada secret caps.json';
/** Room for 40 of these and no more in 1,024 bytes. */
const sample = (number: number) => `temp ${100 + (number % 25)} ${1_700_000_000 + number}`;

/** Spec: MOD-CMD-cloud_activate, MOD-OPT-cloud_activate-username, MOD-OPT-cloud_activate-password, MOD-AUTH-7. */
describe('cloud_activate', () => {
  // MOD-OPT-cloud_activate-capabilities, MOD-VAR-cloud.status, MOD-VAR-cloud.capabilities
  test('joins, sends the capabilities, and names the file in cloud.capabilities', async () => {
    const { run, peer, module } = await cloudRig();
    expect(await run('get cl t')).toEqual(['0 0']);
    expect(await run(activation)).toEqual([...joins, '0 Success']);
    expect(peer.requests.at(-1)?.body).toEqual({
      username: 'ada',
      password: 'secret',
      version: module.versionLine,
      capabilities: rigCapabilities,
    });
    expect(await run('get cloud.status')).toEqual(['0 1']);
    expect(await run('get cloud.capabilities')).toEqual(['0 caps.json']);
  });

  test('takes the file that is in use when none is named', async () => {
    const { run } = await cloudRig();
    await run('set cloud.capabilities caps.json');
    expect((await run('gac ada secret')).at(-1)).toBe('0 Success');
  });

  test('outlives a restart without save, and so does the name of the file', async () => {
    const { run, module, clock } = await activeRig();
    await module.reboot();
    expect(await run('get cloud.status')).toEqual(['0 1']);
    expect(await run('get cloud.capabilities')).toEqual(['0 caps.json']);
    // Neither loading the saved settings nor erasing them brings another name in.
    await run('load');
    expect(await run('get cloud.capabilities')).toEqual(['0 caps.json']);
    expect((await run(`fac ${module.identity.mac}`)).at(-1)).toMatch(/^0 /);
    await clock.advance(1000);
    expect(await run('get wlan.ssid')).toEqual(['0 ']);
    expect(await run('get cloud.capabilities')).toEqual(['0 caps.json']);
  });

  test.each([
    [activation, 'Activated already'],
    ['cloud_capabilities set caps.json', 'cloud.capabilities cannot be changed now'],
    ['cloud_capabilities download', 'cloud.capabilities cannot be changed now'],
    ['set cloud.capabilities caps.json', 'cloud.capabilities cannot be changed now'],
  ])('afterwards %s is refused (MOD-OPT-cloud_capabilities-readonly)', async (line, why) => {
    const { run, peer } = await activeRig();
    expect(await run(line)).toEqual([why, '1 Command failed']);
    expect(peer.requests).toEqual([]);
  });

  test.each([
    ['cloud_activate ada secret', 'No capabilities file'],
    ['cloud_activate ada secret none.json', 'File not found'],
    ['cloud_activate ada secret text.json', 'Capabilities file malformed: no JSON'],
    ['cloud_activate ada secret both.json', 'Capabilities file malformed: "a" is both a stream and a control'],
    ['cloud_activate ada secret long.json', 'Capabilities file malformed: over 4096 bytes'],
  ])('%s says why it fails, before it joins', async (line, why) => {
    const { run, writeFile } = await cloudRig();
    const one = { a: { type: 'number' } };
    await writeFile('text.json', 'a text');
    await writeFile('both.json', JSON.stringify({ name: 'A', version: '1', streams: one, controls: one }));
    await writeFile('long.json', `${JSON.stringify(rigCapabilities)}${' '.repeat(4096)}`);
    expect(await run(line)).toEqual([why, '1 Command failed']);
    expect(await run('get cloud.status')).toEqual(['0 0']);
  });

  test('a file of another shape is named with the place', async () => {
    const { run, writeFile } = await cloudRig();
    await writeFile('bad.json', '{"name":"A","version":"1","streams":{"a":{"type":"colour"}}}');
    const [why, answer] = await run('cloud_activate ada secret bad.json');
    expect(why).toMatch(/^Capabilities file malformed: \/streams\/a\/type /);
    expect(answer).toBe('1 Command failed');
  });

  test('a wrong login fails with the words of the service, and no network with those of the join', async () => {
    const { run } = await cloudRig();
    expect((await run('cloud_activate ada wrong caps.json')).slice(-2)).toEqual([
      'User name or password is wrong',
      '1 Command failed',
    ]);
    await run('network_down');
    await run('set wlan.ssid ""');
    expect(await run(activation)).toEqual(['SSID not set', '1 Command failed']);
  });

  test('succeeds when the service has it as activated from a try whose answer was lost', async () => {
    const { run, peer, network } = await cloudRig();
    network.conditions = ({ index }) => (index === 0 ? { cutAfterBytes: 1 } : {});
    expect((await run(activation)).at(-1)).toBe('1 Command failed');
    expect(peer.data.capabilities).toBeDefined();
    expect(await run(activation)).toEqual(['0 Success']);
    expect(await run('get cloud.status')).toEqual(['0 1']);
  });

  /** Spec: MOD-OPT-cloud_activate-solo, MOD-VAR-cloud.solo.enabled. */
  test('in SOLO mode the module keeps its settings, restarts and connects by itself', async () => {
    const { run, printed, clock, module, peer } = await cloudRig();
    await run('set cloud.solo.enabled 1');
    expect((await run(activation)).includes('0 Success')).toBe(true);
    await clock.advance(30_000);
    expect(printed.join('|')).toContain(['[Disassociated]', module.versionLine, '[Ready]', ...joins].join('|'));
    expect(peer.requests.at(-1)?.path).toBe('/device/v1/controls');
    expect(await run('get cloud.solo.enabled')).toEqual(['0 1']);
  });
});

/** Spec: MOD-CMD-cloud_deactivate, MOD-OPT-cloud_deactivate-username, MOD-OPT-cloud_deactivate-password. */
describe('cloud_deactivate', () => {
  test('pushes what is cached, then ends the activation', async () => {
    const { run, peer } = await activeRig();
    await run('cloud_write temp 21.5');
    expect(await run('cloud_deactivate ada secret')).toEqual(['0 Success']);
    expect(peer.requests.map(({ path }) => path)).toEqual(['/device/v1/data', '/device/v1/deactivate']);
    expect(peer.data.samples).toMatchObject([{ n: 'temp', v: 21.5 }]);
    expect(await run('get cloud.status')).toEqual(['0 0']);
    expect(await run('set cloud.capabilities other.json')).toEqual(['0 Set OK']);
    expect(await run('cloud_read')).toEqual(['Not activated', '1 Command failed']);
  });

  test('keeps the activation and the cache when the login is wrong or the service is away', async () => {
    const { run, peer, network } = await activeRig();
    expect(await run('gde ada wrong')).toEqual(['User name or password is wrong', '1 Command failed']);
    await run('cloud_write temp 21.5');
    network.conditions = () => ({ cutAfterBytes: 1 });
    expect((await run('gde ada secret')).at(-1)).toBe('1 Command failed');
    network.conditions = () => ({});
    expect(await run('get cloud.status')).toEqual(['0 1']);
    await run('cloud_sync push');
    expect(peer.data.samples).toHaveLength(1);
  });

  test('succeeds when the service has ended the activation already', async () => {
    const { run, peer } = await activeRig();
    peer.data.capabilities = undefined;
    expect(await run('gde ada secret')).toEqual(['0 Success']);
    expect(await run('gde ada secret')).toEqual(['The device is not activated at the data cloud', '1 Command failed']);
  });
});

/** Spec: MOD-CMD-cloud_write. */
describe('cloud_write', () => {
  // MOD-OPT-cloud_write-stream, MOD-OPT-cloud_write-one, MOD-OPT-cloud_write-many, MOD-OPT-cloud_write-timestamp
  test('caches samples in either syntax until they are pushed', async () => {
    const { run, peer } = await activeRig();
    expect(await run('cloud_write temp 21.5')).toEqual(['0 Success']);
    expect(await run('gwr status "a, b" 1700000000')).toEqual(['0 Success']);
    expect(await run('gwr temp,22|status,"c|d",1700000001')).toEqual(['0 Success']);
    expect(peer.requests).toEqual([]);
    expect(await run('cloud_sync push')).toEqual(['0 Success']);
    // A missing time is 0 on the wire: the service gives its own.
    expect(peer.data.samples).toEqual([
      { n: 'temp', v: 21.5, t: 0 },
      { n: 'status', v: 'a, b', t: 1_700_000_000 },
      { n: 'temp', v: 22, t: 0 },
      { n: 'status', v: 'c|d', t: 1_700_000_001 },
    ]);
    expect(await run('cloud_sync push')).toEqual(['0 Success']);
    expect(peer.requests).toHaveLength(1);
  });

  test('pushes all it has before a sample that would not fit', async () => {
    const { run, peer } = await activeRig();
    for (let number = 0; number < 51; number++)
      expect(await run(`cloud_write ${sample(number)}`)).toEqual(['0 Success']);
    // 20 bytes each: 51 samples are 1,020 bytes.
    expect(peer.requests).toEqual([]);
    expect(await run(`cloud_write ${sample(51)}`)).toEqual(['0 Success']);
    expect(peer.data.samples).toHaveLength(51);
    expect(peer.requests.map(({ path }) => path)).toEqual(['/device/v1/data']);
  });

  test('drops the oldest samples only when the cache is full and cannot be pushed', async () => {
    const { run, peer, network } = await activeRig();
    network.conditions = () => ({ cutAfterBytes: 1 });
    for (let number = 0; number < 51; number++) await run(`cloud_write ${sample(number)}`);
    const full = await run(`cloud_write ${sample(51)}`);
    expect(full.slice(-2)).toEqual(['Oldest samples dropped: 1', '0 Success']);
    expect(full[0]).toMatch(/^Not pushed: /);
    network.conditions = () => ({});
    await run('cloud_sync push');
    // The push that was cut has arrived whole: the dropped sample, too.
    expect(peer.data.samples.map(({ t }) => t)).toEqual(Array.from({ length: 52 }, (_, at) => 1_700_000_000 + at));
  });

  // MOD-OPT-cloud_write-control
  test('pushes a control at once, and leaves samples where they are', async () => {
    const { run, peer } = await activeRig();
    await run('cloud_write temp 21.5');
    expect(await run('cloud_write led1 1')).toEqual(['0 Success']);
    expect(peer.data.samples).toEqual([]);
    expect(peer.data.controls.get('led1')).toEqual({ v: 1, t: 1_700_000_000 });
    expect(await run('cloud_read led1')).toEqual(['0 1']);
  });

  test('a control that cannot be pushed fails, shows here, and goes out with the next exchange', async () => {
    const { run, peer, network, module } = await activeRig();
    network.conditions = () => ({ cutAfterSentBytes: 1 });
    expect((await run('cloud_write led1 1')).at(-1)).toBe('1 Command failed');
    peer.data.controls.set('led1', { v: 0, t: 1_800_000_000 });
    network.conditions = () => ({});
    await module.reboot();
    expect(await run('cloud_read led1')).toEqual(['0 1']);
    expect((await run('cloud_sync')).at(-1)).toBe('0 Success');
    expect(peer.data.controls.get('led1')?.v).toBe(1);
  });

  test.each([
    ['cloud_write temp', '4 Too few arguments'],
    ['cloud_write', '4 Too few arguments'],
    ['cloud_write temp 1 2 3', '5 Too many arguments'],
    ['cloud_write temp,1 2', '5 Too many arguments'],
    ['cloud_write wind 1', '7 Invalid argument', 'No such stream or control: wind'],
    ['cloud_write constructor 1', '7 Invalid argument', 'No such stream or control: constructor'],
    ['cloud_write temp warm', '7 Invalid argument', 'Value of temp is not a number'],
    ['cloud_write temp 126', '7 Invalid argument', 'Value of temp is over 125'],
    ['cloud_write temp 1 soon', '7 Invalid argument', 'Name, value or time malformed'],
    ['cloud_write led1 2', '7 Invalid argument', 'Value of led1 is over 1'],
    ['cloud_write temp,1|wind,1', '7 Invalid argument', 'No such stream or control: wind'],
    [`cloud_write status ${'x'.repeat(129)}`, '7 Invalid argument', 'Value of status is longer than 128 characters'],
    ['cloud_write temp "1', '2 Parse error'],
  ])('%s is refused as a whole', async (line, answer, ...why) => {
    const { run, peer, module } = await activeRig();
    expect(await run(line)).toEqual([...why, answer]);
    expect(module.cloud.read('led1')).toEqual({ ok: true, value: [{ n: 'led1', v: 0, t: 0 }] });
    await run('cloud_sync push');
    expect(peer.requests).toEqual([]);
  });

  test('more at once than the cache holds is an overflow', async () => {
    const { run } = await activeRig();
    const many = Array.from({ length: 60 }, (_, number) => sample(number).replaceAll(' ', ',')).join('|');
    expect(await run(`cloud_write ${many}`)).toEqual(['More samples than the cache holds', '8 Overflow']);
  });

  test('samples that the service refuses for good are not sent again', async () => {
    const { run, peer } = await activeRig();
    await run('cloud_write temp 1');
    peer.refuse('POST /device/v1/data', 400, 'The value of "temp" is over 0', 'WRONG_VALUE');
    expect(await run('cloud_sync push')).toEqual(['The value of "temp" is over 0', '1 Command failed']);
    peer.answers.clear();
    expect(await run('cloud_sync push')).toEqual(['0 Success']);
    expect(peer.data.samples).toEqual([]);
  });
});

/** Spec: MOD-CMD-cloud_read, MOD-CMD-cloud_sync. */
describe('cloud_read and cloud_sync', () => {
  // MOD-OPT-cloud_read-name, MOD-OPT-cloud_read-timestamp, MOD-OPT-cloud_sync-pull
  test('reads what was pulled, without the network', async () => {
    const { run, peer } = await activeRig();
    expect(await run('cloud_read')).toEqual(['0 led1,0']);
    expect(await run('cloud_read mode')).toEqual(['0 ']);
    peer.data.controls.set('led1', { v: 1, t: 1_700_000_000 });
    peer.data.controls.set('mode', { v: 'a,b', t: 1_700_000_001 });
    expect(await run('cloud_sync pull')).toEqual(['0 Success']);
    peer.requests.length = 0;
    expect(await run('gre')).toEqual(['0 led1,1,1700000000|mode,"a,b",1700000001']);
    expect(await run('gre led1')).toEqual(['0 1,1700000000']);
    expect(await run('gre temp')).toEqual(['No such stream or control: temp', '7 Invalid argument']);
    expect(peer.requests).toEqual([]);
  });

  test('an older value of the service does not replace ours, an equal or newer one does', async () => {
    const { run, peer } = await activeRig();
    await run('cloud_write led1 1 1700000100');
    for (const [t, shown] of [
      [1_700_000_050, '1,1700000100'],
      [1_700_000_100, '0,1700000100'],
      [1_700_000_150, '0,1700000150'],
    ] as const) {
      peer.data.controls.set('led1', { v: 0, t });
      await run('cloud_sync pull');
      expect(await run('cloud_read led1')).toEqual([`0 ${shown}`]);
    }
  });

  // MOD-OPT-cloud_sync-push
  test('without a word both ways, push first', async () => {
    const { run, peer } = await activeRig();
    await run('cloud_write temp 1');
    expect(await run('gsy')).toEqual(['0 Success']);
    expect(peer.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /device/v1/data',
      'GET /device/v1/controls',
    ]);
  });

  test.each([
    ['cloud_sync both', '7 Invalid argument'],
    ['cloud_sync push pull', '5 Too many arguments'],
    ['cloud_read led1 mode', '5 Too many arguments'],
  ])('%s is refused', async (line, answer) => {
    const { run } = await activeRig();
    expect(await run(line)).toEqual([answer]);
  });

  test('values that come over the message channel follow the same rules, and others are ignored', async () => {
    const { run, module, clock } = await activeRig();
    module.client.act({ action: 'control', controls: [{ n: 'led1', v: 1, t: 1_700_000_000 }] });
    module.client.act({ action: 'control', controls: [{ n: 'wind', v: 1, t: 1 }] });
    module.client.act({ action: 'control', controls: 'none' });
    await clock.advance(0);
    expect(await run('cloud_read')).toEqual(['0 led1,1,1700000000']);
  });
});

/** Spec: MOD-DATA-not-activated. */
test.each(['cloud_sync', 'cloud_sync push', 'cloud_write led1 1', 'cloud_message list'])(
  'when the service answers %s with NOT_ACTIVATED, the activation is over here, too',
  async (line) => {
    const { run, peer } = await activeRig();
    await run('cloud_write temp 1');
    peer.data.capabilities = undefined;
    expect(await run(line)).toEqual([
      'Activation has ended at the service',
      'The device is not activated at the data cloud',
      '1 Command failed',
    ]);
    expect(await run('get cloud.status')).toEqual(['0 0']);
    expect(await run('set cloud.capabilities other.json')).toEqual(['0 Set OK']);
  },
);

test.each([403, 500])('a refusal with %i for another reason leaves the activation as it is', async (status) => {
  const { run, peer } = await activeRig();
  peer.refuse('GET /device/v1/controls', status, 'Not now', 'DEVICE_DISABLED');
  expect(await run('cloud_sync')).toEqual(['Not now', '1 Command failed']);
  expect(await run('get cloud.status')).toEqual(['0 1']);
});

// MOD-OPT-cloud_message-post
test.each(['cloud_write temp 1', 'cloud_read', 'cloud_sync', 'cloud_message list', 'cloud_message post'])(
  '%s needs an activation',
  async (line) => {
    const { run, peer } = await cloudRig();
    expect(await run(line)).toEqual(['Not activated', '1 Command failed']);
    expect(peer.requests).toEqual([]);
  },
);

/** Spec: MOD-CMD-cloud_signup. */
test.each(['cloud_signup', 'gsi ada@harbour.test secret'])('%s is no longer supported', async (line) => {
  const { run } = await cloudRig();
  expect(await run(line)).toEqual(['Sign up is no longer supported from devices', '1 Command failed']);
});

describe('another prefix', () => {
  const loaded = loadPersonality('{"cloudPrefix":"ghm"}');
  if (!loaded.ok) throw new Error(loaded.error);
  const personality = loaded.value;

  test('renames commands, variables and the stream type, and leaves the neutral names callable', async () => {
    const { run } = await cloudRig({ personality });
    expect((await run('ghm_activate ada secret caps.json')).at(-1)).toBe('0 Success');
    expect(await run('get ghm')).toEqual([
      ['0 ghm.capabilities: caps.json', 'ghm.solo.enabled: 0', 'ghm.solo.sync_period: 10', 'ghm.status: 1'].join(
        '\r\n',
      ),
    ]);
    expect(await run('set ghm.capabilities x')).toEqual(['ghm.capabilities cannot be changed now', '1 Command failed']);
    expect(await run('ghm_capabilities set x')).toEqual(['ghm.capabilities cannot be changed now', '1 Command failed']);
    expect(await run('cloud_read')).toEqual(['0 led1,0']);
    expect(await run('gre')).toEqual(['0 led1,0']);
    expect(await run('ghm_message post')).toEqual(['[Opened: 0]', '0 0']);
    expect(await run('stream_list')).toEqual(['0 ! # Type  Info\r\n# 0 GHM   from-device (0)']);
    const help = await run('help commands');
    expect(help.join()).toContain('ghm_write           : gwr');
    expect(help.join()).not.toContain('cloud_');
    expect((await run('help ghm_write'))[0]).toContain('Usage: ghm_write <name> <value> [timestamp] / <name>');
  });
});
