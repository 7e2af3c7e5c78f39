import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { type ClientWorld, clientWorld, isLacking, makeSigner, swupdateNeeds } from './clients.ts';

const slow = { timeout: 120_000, interval: 200 };

describe.skipIf(isLacking(swupdateNeeds))('swupdate, as the system has it', () => {
  let world: ClientWorld;
  let keys: string;

  beforeAll(async () => {
    world = await clientWorld();
    keys = join(world.folder, 'keys');
    await mkdir(keys);
    for (const name of ['own', 'foreign']) makeSigner(keys, name);
  });
  afterAll(() => world.close());

  interface Image {
    readonly version: string;
    readonly payload: Uint8Array;
    readonly signer?: 'own' | 'foreign';
    readonly script?: string;
  }

  /** A signed image that writes its payload to a file. */
  async function imageOf(
    name: string,
    { version, payload, signer = 'own', script = 'exit 0' }: Image,
  ): Promise<Buffer> {
    const folder = join(world.folder, `${name}-${version}`);
    await mkdir(folder);
    const hook = `#!/bin/sh\n${script}\n`;
    await writeFile(join(folder, 'payload.bin'), payload);
    await writeFile(join(folder, 'hook.sh'), hook);
    const file = `{ filename = "payload.bin"; path = "${installed(name)}"; sha256 = "${hash('sha256', payload)}"; }`;
    const hooks = `{ filename = "hook.sh"; type = "shellscript"; sha256 = "${hash('sha256', hook)}"; }`;
    const parts = `files: ( ${file} ); scripts: ( ${hooks} );`;
    await writeFile(
      join(folder, 'sw-description'),
      `software = { version = "${version}"; hardware-compatibility: [ "1.0" ]; ${parts} }`,
    );
    const key = ['-signer', join(keys, `${signer}.pem`), '-inkey', join(keys, `${signer}.key`)];
    const options = ['-outform', 'DER', '-nosmimecap', '-binary', '-out', 'sw-description.sig'];
    execFileSync('openssl', ['cms', '-sign', '-in', 'sw-description', ...key, ...options], { cwd: folder });
    const input = 'sw-description\nsw-description.sig\npayload.bin\nhook.sh\n';
    return execFileSync('cpio', ['-o', '-H', 'crc', '--quiet'], { cwd: folder, input, maxBuffer: 64 * 1024 * 1024 });
  }

  const installed = (name: string) => join(world.folder, `${name}.installed`);

  /** Runs the client of a device; `confirm` is what it says of the update before its restart. */
  async function run(
    name: string,
    token: string,
    { confirm, kind = 'gatewaytoken' }: { confirm?: '2' | '3'; kind?: string } = {},
  ) {
    const own = join(world.folder, `tmp-${name}`);
    await mkdir(own, { recursive: true });
    const access = `tenant = "DEFAULT"; id = "${name}"; url = "${world.url}"; polldelay = 2; ${kind} = "${token}"; cafile = "${world.ca}";`;
    const identify = `identify : ( { name = "serial"; value = "SN-${name}"; } );`;
    const config = join(own, 'swupdate.cfg');
    await writeFile(config, `globals : { verbose = true; };\nsuricatta : { ${access} };\n${identify}\n`);
    const suricatta = `-w 1${confirm === undefined ? '' : ` -c ${confirm}`}`;
    const args = ['-f', config, '-v', '-H', 'board:1.0', '-k', join(keys, 'own.pem'), '-u', suricatta];
    return world.start('swupdate', args, { TMPDIR: own });
  }

  const stateOf = async (name: string) => (await world.updateOf(name))?.state;

  async function newProduct() {
    const product = await world.openProduct();
    return { product, token: (await world.tokenOf(product.id, 'ddi')).token };
  }

  it('registers, installs over TLS, and confirms after its restart', async () => {
    const { product, token } = await newProduct();
    const payload = randomBytes(300_000);
    await world.release(product.id, 'image.swu', await imageOf('plain', { version: '1.0.1', payload }));
    const first = await run('plain', token);
    await expect.poll(() => stateOf('plain'), { ...slow, message: first.output() }).toBe('installed');
    expect(await readFile(installed('plain'))).toEqual(payload);
    await first.stop();
    const second = await run('plain', token, { confirm: '2' });
    await expect.poll(() => stateOf('plain'), slow).toBe('done');
    await second.stop();
    const { id = '', bversion } = (await world.deviceNamed('plain')) ?? {};
    expect(bversion).toContain('0.0.0.1');
    const attributes = must(await world.client.call('attributes.list', { params: { device_id: id } }));
    expect(attributes).toContainEqual(expect.objectContaining({ name: 'serial', value: 'SN-plain' }));
    expect(await world.saidOf((await world.updateOf('plain'))?.id ?? 0)).toContain('All Chunks Installed.');
  });

  it('resumes a download that is cut in the middle', async () => {
    const { product, token } = await newProduct();
    const payload = randomBytes(3_000_000);
    await world.release(product.id, 'image.swu', await imageOf('cut', { version: '1.0.1', payload }));
    world.trouble.cutAfterBytes = 1_000_000;
    const client = await run('cut', token);
    await expect.poll(() => stateOf('cut'), slow).toBe('installed');
    expect(world.trouble.cutAfterBytes).toBeUndefined();
    expect(await readFile(installed('cut'))).toEqual(payload);
    await client.stop();
  });

  it('refuses an image of another signer, says why, and is not offered it again', async () => {
    const { product, token } = await newProduct();
    const image = await imageOf('signed', { version: '1.0.1', payload: randomBytes(1_000), signer: 'foreign' });
    await world.release(product.id, 'image.swu', image);
    const client = await run('signed', token);
    await expect.poll(() => stateOf('signed'), slow).toBe('failed');
    expect(existsSync(installed('signed'))).toBe(false);
    expect((await world.updateOf('signed'))?.reason).toBe('Authentication of all signatures failed');
    expect(await world.saidOf((await world.updateOf('signed'))?.id ?? 0)).toMatch(/sign|verif/i);
    await client.stop();
  });

  it('reports a failure of its script', async () => {
    const { product, token } = await newProduct();
    const image = await imageOf('broken', { version: '1.0.1', payload: randomBytes(1_000), script: 'exit 1' });
    await world.release(product.id, 'image.swu', image);
    const client = await run('broken', token);
    await expect.poll(() => stateOf('broken'), slow).toBe('failed');
    await client.stop();
    expect((await world.updateOf('broken'))?.reason).toBe('execute preinstall scripts failed');
  });

  it('reports bytes that are not those of the description', async () => {
    const { product, token } = await newProduct();
    const image = await imageOf('damaged', { version: '1.0.1', payload: Buffer.alloc(300_000, 'abcdefgh') });
    image.write('X', image.lastIndexOf('abcdefgh'));
    await world.release(product.id, 'image.swu', image);
    const client = await run('damaged', token);
    await expect.poll(() => stateOf('damaged'), slow).toBe('failed');
    await client.stop();
    expect((await world.updateOf('damaged'))?.reason).toMatch(/HASH mismatch|checksum/i);
  });

  it('drops a download when the update is taken back', async () => {
    const { product, token } = await newProduct();
    const slowly = await imageOf('dropped', { version: '1.0.1', payload: randomBytes(8_000_000) });
    await world.release(product.id, 'image.swu', slowly);
    world.trouble.bytesPerSecond = 200_000;
    const client = await run('dropped', token);
    await expect.poll(() => stateOf('dropped'), slow).toBe('downloading');
    const before = await world.updateOf('dropped');
    const payload = randomBytes(1_000);
    await world.release(product.id, 'image.swu', await imageOf('dropped', { version: '1.0.2', payload }));
    const closedAt = () => world.doorUpdate(before?.id ?? 0);
    await expect.poll(async () => (await closedAt())?.closed_at ?? null, slow).not.toBeNull();
    world.trouble.bytesPerSecond = undefined;
    await expect.poll(() => stateOf('dropped'), slow).toBe('installed');
    expect(await readFile(installed('dropped'))).toEqual(payload);
    await client.stop();
  });

  it('acknowledges a cancel that comes before it has begun, and installs nothing', async () => {
    const { product, token } = await newProduct();
    const image = await imageOf('early', { version: '1.0.1', payload: randomBytes(1_000) });
    const { id: bundle_id } = await world.release(product.id, 'image.swu', image);
    const client = await run('early', token);
    // It begins with the request after the one that has shown it.
    await expect.poll(() => stateOf('early'), slow).toBe('offered');
    const { id = 0 } = (await world.updateOf('early')) ?? {};
    const shown = () => world.doorUpdate(id);
    await expect.poll(shown, slow).toBeDefined();
    must(await world.client.call('bundles.setTag', { params: { bundle_id }, body: { tag: '' } }));
    await expect.poll(async () => (await shown())?.closed_at ?? null, slow).not.toBeNull();
    await client.stop();
    expect(existsSync(installed('early'))).toBe(false);
    expect(await stateOf('early')).toBe('superseded');
    expect(await world.saidOf(id)).toMatch(/cancel/i);
  });

  it('says after its restart that the update did not hold', async () => {
    const { product, token } = await newProduct();
    await world.release(
      product.id,
      'image.swu',
      await imageOf('back', { version: '1.0.1', payload: randomBytes(1_000) }),
    );
    const first = await run('back', token);
    await expect.poll(() => stateOf('back'), slow).toBe('installed');
    await first.stop();
    const second = await run('back', token, { confirm: '3' });
    await expect.poll(() => stateOf('back'), slow).toBe('failed');
    await second.stop();
  });

  it('stays out with a wrong token, and from the moment that its own is revoked', async () => {
    const { product } = await newProduct();
    const wrong = await run('outside', 'not-a-token');
    await expect.poll(() => wrong.output(), slow).toMatch(/401|access|denied/i);
    await wrong.stop();
    expect(await world.deviceNamed('outside')).toBeUndefined();
    const params = { product_id: product.id };
    const made = must(await world.client.call('doors.addDevice', { params, body: { door: 'ddi', name: 'own' } }));
    const client = await run('own', made.token, { kind: 'targettoken' });
    const seenAt = async () => (await world.deviceNamed('own'))?.last_seen_at ?? null;
    await expect.poll(seenAt, slow).not.toBeNull();
    must(await world.client.call('doors.revokeDevice', { params: { device_id: made.device_id } }));
    await expect.poll(() => client.output(), slow).toMatch(/401|access|denied/i);
    await client.stop();
  });
});
