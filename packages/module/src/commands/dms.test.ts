import type { PeerBundle } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { clientRig, pattern } from '../testing/client-rig.ts';

const token = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldY';
const address = ['Obtaining IPv4 address via DHCP', 'IPv4 address: 10.5.6.108', '[Associated]'];
const joins = ['[Associating to harbour-open]', 'Security type from probe: Open', ...address];

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'page.html', content: pattern(2000) },
    { name: 'settings.csv', content: pattern(300) },
  ],
};

async function rig() {
  const made = await clientRig();
  made.peer.bundle = bundle;
  /** Log lines of a command, then its code and text. */
  const run = async (line: string) => {
    made.printed.length = 0;
    const { code, text } = await made.until(made.module.execute(line));
    return [...made.printed, `${code} ${text}`];
  };
  return { ...made, run };
}

/** Spec: MOD-CMD-dms. */
describe('dms', () => {
  test('claim brings the network up first and answers Success', async () => {
    const { run, peer } = await rig();
    expect(await run('dms claim ada secret')).toEqual([...joins, '0 Success']);
    expect(await run(`dms claim ACME-LAMP ${token}`)).toEqual(['0 Success']);
    expect(await run('dms activate ACME-LAMP')).toEqual(['0 Success']);
    expect(peer.requests.map(({ body }) => body)).toEqual([
      { username: 'ada', password: 'secret' },
      { product: 'ACME-LAMP', token },
      { product: 'ACME-LAMP' },
    ]);
  });

  test('info prints a line for each field, products a table', async () => {
    const { run } = await rig();
    const info = await run('dms info');
    expect(info.at(-1)).toBe(
      [
        '0 id: 11111111-1111-4111-8111-111111111111',
        'uuid: 4d4f4f52000000000000000000000000000000ff',
        'title: Lamp',
        'platform: HARBOUR',
        'product: ACME-HARBOUR_LAMP',
        'tag: ',
        'bundle_id: ',
        'state: active',
        'claimable: true',
      ].join('\r\n'),
    );
    expect(await run('dms products')).toEqual([
      '0 ! # Product                          Version    Title\r\n# 0 ACME-HARBOUR_LAMP                1.0.0.2    Lamp',
    ]);
  });

  // MOD-VAR-dms.provision.token
  test('provision takes its token from the variable', async () => {
    const { run } = await rig();
    expect(await run('dms provision')).toEqual(['There is no provisioning token', '1 Command failed']);
    await run(`set dms.provision.token ${token}`);
    expect(await run('dms provision')).toEqual([...joins, '0 Success']);
    expect(await run('get dms.provision.status')).toEqual(['0 3']);
  });

  test.each([
    ['dms', '4 Too few arguments'],
    ['dms claim', '4 Too few arguments'],
    ['dms claim ada', '4 Too few arguments'],
    ['dms claim ada secret more', '5 Too many arguments'],
    ['dms activate', '4 Too few arguments'],
    ['dms activate A B', '5 Too many arguments'],
    ['dms info now', '5 Too many arguments'],
    ['dms products now', '5 Too many arguments'],
    ['dms provision now', '5 Too many arguments'],
    ['dms wash', '7 Invalid argument'],
    ['dms echo', '4 Too few arguments'],
    ['dms webhook', '4 Too few arguments'],
    ['dms status now', '5 Too many arguments'],
    ['dms telemetry [1]', '7 Invalid argument'],
    ['dms telemetry {"a":', '7 Invalid argument'],
    ['dms file', '4 Too few arguments'],
    ['dms file list', '4 Too few arguments'],
    ['dms file wash device', '7 Invalid argument'],
    ['dms file list phone', '7 Invalid argument'],
    ['dms file list device a b', '5 Too many arguments'],
    ['dms file stat device', '4 Too few arguments'],
    ['dms file stat device a b', '5 Too many arguments'],
    ['dms file download 1', '4 Too few arguments'],
    ['dms file download 1 a b c', '5 Too many arguments'],
    ['dms file upload 1', '4 Too few arguments'],
    ['dms file delete 2', '4 Too few arguments'],
    ['ota -a', '4 Too few arguments'],
    ['ota -a LAMP', '4 Too few arguments'],
    ['ota -a LAMP token more', '5 Too many arguments'],
    ['ota -f -a LAMP token', '5 Too many arguments'],
    ['ota -b 1.0.0 -a LAMP token', '5 Too many arguments'],
    ['ota -b', '4 Too few arguments'],
    ['ota -x', '6 Unknown variable'],
  ])('%s is refused', async (line, answer) => {
    const { run, peer } = await rig();
    expect(await run(line)).toEqual([answer]);
    expect(peer.requests).toEqual([]);
  });

  test.each([
    ['dms claim ada wrong', 'POST /claim'],
    ['dms activate LAMP', 'POST /activate'],
    ['dms info', 'GET /info'],
    ['dms products', 'GET /products'],
    ['ota', 'POST /ota'],
  ])('%s prints why the service refuses it', async (line, call) => {
    const { run, peer } = await rig();
    peer.refuse(call, 403, 'You may not do this');
    expect((await run(line)).slice(-2)).toEqual(['You may not do this', '1 Command failed']);
  });

  test('a command that cannot join says so once', async () => {
    const { run } = await rig();
    await run('set wlan.ssid ""');
    expect(await run('dms info')).toEqual(['SSID not set', '1 Command failed']);
    expect(await run('ota')).toEqual(['Checking for updates...', 'SSID not set', '1 Command failed']);
  });
});

/** Spec: MOD-CMD-ota, MOD-OTA-none. */
describe('ota', () => {
  test('ota names each file, answers Rebooting, and restarts', async () => {
    const { run, module } = await rig();
    const updating = ['Checking for updates...', ...joins, 'Updating page.html', 'Updating settings.csv'];
    // The restart follows the answer; it is among the lines because time goes on until the test has the answer.
    const answer = await run('ota');
    expect(answer).toEqual([...updating, '[Disassociated]', module.versionLine, '[Ready]', ...joins, '0 Rebooting']);
    expect(await run('get dms.ota_result')).toEqual(['0 1']);
    expect(await run('get dms.bundle_id')).toEqual([`0 ${bundle.id}`]);
    expect(await run('ver')).toEqual(['0 Moorage-2.3.0.2, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3']);
    expect(await run('ota')).toEqual(['Checking for updates...', 'Already up to date', '0 Success']);
    expect(await run('get dms.ota_result')).toEqual(['0 2']);
  });

  // MOD-OTA-files
  test('ota with names fetches those files only, and restarts when the bundle is complete by them', async () => {
    const { run, module, peer } = await rig();
    const first = await run('ota settings.csv');
    expect(first.slice(-2)).toEqual(['Updating settings.csv', '0 Success']);
    expect(module.client.installed()).toBeUndefined();
    expect(module.flash.stat('page.html')).toBeUndefined();
    expect((await run('ota page.html')).at(-1)).toBe('0 Rebooting');
    expect(module.client.installed()?.bundleId).toBe(bundle.id);
    // A file of the bundle that runs is fetched anew.
    peer.requests.length = 0;
    expect((await run('ota page.html')).at(-1)).toBe('0 Rebooting');
    expect(peer.downloads).toEqual([]);
    await run('file_delete page.html');
    expect(await run('ota -f page.html')).toContain('Updating page.html');
    expect(module.flash.stat('page.html')).toBeDefined();
  });

  test('ota with a name that the bundle does not have fails with result 9', async () => {
    const { run } = await rig();
    expect((await run('ota settings.csv nothing.txt')).slice(-2)).toEqual([
      'Bundle 1.0.0.2 has no file "nothing.txt"',
      '1 Command failed',
    ]);
    expect(await run('get dms.ota_result')).toEqual(['0 9']);
  });

  // MOD-VAR-ota.bundle_id
  test('ota asks for ota.bundle_id by itself, and -b goes before it', async () => {
    const { run, peer } = await rig();
    await run(`set ota.bundle_id ${bundle.id}`);
    await run('ota settings.csv');
    expect(peer.requests[0]?.body).toMatchObject({ bundle_id: bundle.id });
    peer.requests.length = 0;
    await run('ota -b 1.0.0.2');
    expect(peer.requests[0]?.body).toMatchObject({ version: '1.0.0.2' });
  });

  // MOD-OTA-activate
  test('ota -a binds a product, or a bundle that survives a restart', async () => {
    const { run, module, peer } = await rig();
    expect((await run(`ota -a ${bundle.id} ${token}`)).at(-1)).toBe('0 Success');
    expect(peer.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/info', undefined],
      ['/claim', { product: 'ACME-HARBOUR_LAMP', token }],
    ]);
    await module.reboot();
    expect(await run('get ota.bundle_id')).toEqual([`0 ${bundle.id}`]);
    expect((await run(`ota -a ACME-LAMP ${token}`)).at(-1)).toBe('0 Success');
    expect(peer.requests.at(-1)?.body).toEqual({ product: 'ACME-LAMP', token });
    expect(await run('get ota.bundle_id')).toEqual(['0 ']);
  });

  test('ota -a with a wrong password changes nothing', async () => {
    const { run, peer } = await rig();
    peer.refuse('POST /claim', 403, 'The activation token is not valid');
    await run(`set ota.bundle_id ${bundle.id}`);
    expect((await run('ota -a ACME-LAMP wrong')).slice(-2)).toEqual([
      'The activation token is not valid',
      '1 Command failed',
    ]);
    expect(await run('get ota.bundle_id')).toEqual([`0 ${bundle.id}`]);
  });

  test('options reach the service', async () => {
    const { run, peer } = await rig();
    await run('ota -f -b 1.0.0.2');
    expect(peer.requests[0]?.body).toMatchObject({ force: true, version: '1.0.0.2' });
  });
});
