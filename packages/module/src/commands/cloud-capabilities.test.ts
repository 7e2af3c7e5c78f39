import { createServer } from 'node:http';
import { unwrap } from '@moorage/base';
import { rigCapabilities } from '@moorage/device/testing/capabilities';
import { describe, expect, test } from 'vitest';
import { contentOf } from '../testing/client-rig.ts';
import { activeRig, cloudRig } from '../testing/cloud-rig.ts';

const text = JSON.stringify(rigCapabilities);
const script = '# Pins\r\nset cloud.solo.gpio 10 led1\r\nset cloud.solo.enabled 1\r\n';

async function rig() {
  const made = await cloudRig();
  made.peer.data.files.set('lamp.json', text).set('lamp.script', script).set('plain.json', text);
  await made.run('network_up');
  await made.clock.advance(10_000);
  made.peer.requests.length = 0;
  return made;
}

/** A host with files beside each other, for downloads by URL. */
async function fileHost({ network }: Awaited<ReturnType<typeof rig>>, files: Readonly<Record<string, string>>) {
  const server = createServer((request, response) => {
    const content = files[request.url ?? ''];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  unwrap(
    await network.attach('files.local', '10.9.9.10').listen(80, ({ stream }) => server.emit('connection', stream)),
  );
}

/** Spec: MOD-CMD-cloud_capabilities. */
describe('cloud_capabilities', () => {
  // MOD-OPT-cloud_capabilities-list
  test('list prints the files on offer and which is the default', async () => {
    const { run } = await rig();
    expect(await run('cloud_capabilities list')).toEqual([
      [
        '0 ! # Name                             Version    Default',
        '# 0 lamp.json                        1.0.0      1',
        '# 1 plain.json                       1.0.0      0',
      ].join('\r\n'),
    ]);
  });

  // MOD-OPT-cloud_capabilities-download, MOD-OPT-cloud_capabilities-get
  test('download without a name keeps the default file and uses it', async () => {
    const { run, module } = await rig();
    expect(await run('gca download')).toEqual(['0 Success']);
    expect(await run('gca get')).toEqual(['0 lamp.json']);
    expect(await run('get cloud.capabilities')).toEqual(['0 lamp.json']);
    expect(String(await contentOf(module, 'lamp.json'))).toBe(text);
    expect(module.flash.stat('lamp.json')).toMatchObject({ type: 0xfc, version: [1, 0, 0, 0] });
    expect(module.flash.stat('lamp.script')).toBeUndefined();
  });

  // MOD-OPT-cloud_capabilities-s
  test('-s runs the setup script that goes with the file', async () => {
    const { run } = await rig();
    expect(await run('gca download -s')).toEqual(['Set OK', 'Set OK', '0 Success']);
    expect(await run('get cloud.solo.gpio')).toEqual(['0 10,led1']);
    expect(await run('gca download plain.json -s')).toEqual(['0 Success']);
  });

  test('a script may not begin itself again', async () => {
    const { run, peer } = await rig();
    peer.data.files.set('lamp.script', 'gca download -s\r\n');
    expect(await run('gca download -s')).toEqual([
      'Setup cannot run setup',
      'Line 1 of lamp.script failed',
      '1 Command failed',
    ]);
    peer.data.files.set('lamp.script', 'bogus\r\n');
    expect((await run('gca download -s')).at(-1)).toBe('1 Command failed');
  });

  // MOD-OPT-cloud_capabilities-d, MOD-OPT-cloud_capabilities-version
  test('-d keeps a file of that name, and a version is that of the file in flash', async () => {
    const { run, module } = await rig();
    expect(await run('gca download plain.json 2.1.0')).toEqual(['0 Success']);
    expect(module.flash.stat('plain.json')).toMatchObject({ version: [2, 1, 0, 0] });
    expect(await run('gca download plain.json -d')).toEqual(['File exists', '1 Command failed']);
    expect(await run('gca download -d lamp.json 0')).toEqual(['0 Success']);
    expect(module.flash.stat('lamp.json')).toMatchObject({ version: [0, 0, 0, 0] });
  });

  test('download takes a URL, with the script that lies beside the file', async () => {
    const made = await rig();
    const { run, module } = made;
    await fileHost(made, { '/a/boat.json': text, '/a/boat.script': script, '/a/text.json': 'a text' });
    expect((await run('gca download http://files.local/a/boat.json -s')).slice(-3)).toEqual([
      'Set OK',
      'Set OK',
      '0 Success',
    ]);
    expect(await run('gca get')).toEqual(['0 boat.json']);
    expect(module.flash.stat('boat.json')).toMatchObject({ type: 0xfc });
    expect((await run('gca download http://files.local/a/boat.json -d')).slice(-2)).toEqual([
      'File exists',
      '1 Command failed',
    ]);
    expect((await run('gca download http://files.local/a/text.json')).slice(-2)).toEqual([
      'Capabilities file malformed: no JSON',
      '1 Command failed',
    ]);
    expect(module.flash.stat('text.json')).toBeUndefined();
    expect((await run('gca download http://files.local/none.json')).at(-1)).toBe('1 Command failed');
    expect(await run('gca download http://files.local/')).toEqual(['7 Invalid argument']);
    expect(await run('gca get')).toEqual(['0 boat.json']);
  });

  test.each([
    ['gca download none.json', 'No such capabilities file: none.json'],
    ['gca download broken.json', 'Capabilities file malformed: no JSON'],
    ['gca download long.json', 'The reply is over 4096 bytes'],
    ['gca set none.json', 'File not found'],
  ])('%s fails, and the file in use stays', async (line, why) => {
    const { run, peer } = await rig();
    peer.data.files.set('broken.json', '{').set('long.json', `${text}${' '.repeat(4096)}`);
    await run('gca set caps.json');
    expect(await run(line)).toEqual([why, '1 Command failed']);
    expect(await run('gca get')).toEqual(['0 caps.json']);
  });

  // MOD-OPT-cloud_capabilities-set, MOD-OPT-cloud_capabilities-readonly
  test('set names a file of the flash, and is refused while the device is activated', async () => {
    const { run, peer } = await activeRig();
    expect(await run('gca set caps.json')).toEqual(['cloud.capabilities cannot be changed now', '1 Command failed']);
    peer.data.files.set('lamp.json', text);
    expect(await run('gca list')).toHaveLength(1);
    await run('gde ada secret');
    expect(await run('gca set caps.json')).toEqual(['0 Set OK']);
  });

  test.each([
    ['cloud_capabilities', '4 Too few arguments'],
    ['cloud_capabilities set', '4 Too few arguments'],
    ['cloud_capabilities set a b', '7 Invalid argument'],
    ['cloud_capabilities set a 1.0.0', '5 Too many arguments'],
    ['cloud_capabilities get a', '5 Too many arguments'],
    ['cloud_capabilities list a', '5 Too many arguments'],
    ['cloud_capabilities list -s', '5 Too many arguments'],
    ['cloud_capabilities get -d', '5 Too many arguments'],
    ['cloud_capabilities download a 1.0.0 x', '5 Too many arguments'],
    ['cloud_capabilities download a x', '7 Invalid argument'],
    ['cloud_capabilities download -z', '6 Unknown variable'],
    ['cloud_capabilities burn', '7 Invalid argument'],
    [`cloud_capabilities set ${'x'.repeat(96)}`, '7 Invalid argument'],
  ])('%s is refused', async (line, answer) => {
    const { run, peer } = await rig();
    expect(await run(line)).toEqual([answer]);
    expect(peer.requests).toEqual([]);
  });
});
