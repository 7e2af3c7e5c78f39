import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientWorld, clientWorld, deltaNeeds, isLacking, makeSigner, swupdateNeeds } from './clients.ts';

const slow = { timeout: 120_000, interval: 200 };
const imageBytes = 4 * 1024 * 1024;
const blockBytes = 4_096;

/** An image, and the next one, which differs from it in two places. */
function images(): { readonly old: Buffer; readonly next: Buffer } {
  const old = randomBytes(imageBytes);
  const next = Buffer.from(old);
  randomBytes(100).copy(next, 1_000_000);
  randomBytes(10).copy(next, 3_000_000);
  return { old, next };
}

describe('a delta', () => {
  let world: ClientWorld;
  beforeAll(async () => {
    // Debian's SWUpdate and zckdl trust no authority but those of the system.
    world = await clientWorld({ deviceInsecure: true });
  });
  afterAll(() => world.close());

  async function newProduct() {
    const product = await world.openProduct();
    return { product, token: (await world.tokenOf(product.id, 'ddi')).token };
  }

  /** A folder of its own, and what runs programs in it. */
  function workshop(name: string) {
    const folder = join(world.folder, name);
    mkdirSync(folder);
    const run = (command: string, args: readonly string[], input?: string): Buffer =>
      execFileSync(command, args, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 2 ** 26, input });
    const write = (file: string, content: string | Uint8Array) => writeFileSync(join(folder, file), content);
    const read = (file: string) => readFileSync(join(folder, file));
    return { folder, run, write, read };
  }

  /** Both images as zchunk writes them. */
  function chunked(name: string) {
    const shop = workshop(name);
    const { old, next } = images();
    shop.write('old.img', old);
    shop.write('next.img', next);
    for (const image of ['old', 'next']) shop.run('zck', ['-u', '-h', 'sha256', '-o', `${image}.zck`, `${image}.img`]);
    return { ...shop, old, next };
  }

  /** The link of a client to a file of its update. */
  async function linkOf(name: string, token: string, filename: string): Promise<string> {
    const headers = { authorization: `GatewayToken ${token}` };
    const get = async (url: string) => (await fetch(url, { headers })).json();
    // Safe: the answers are those of this interface.
    const base = (await get(`${world.url}/DEFAULT/controller/v1/${name}`)) as {
      _links: { deploymentBase: { href: string } };
    };
    const shown = (await get(base._links.deploymentBase.href)) as {
      deployment: { chunks: { artifacts: { filename: string; _links: Record<string, { href: string }> }[] }[] };
    };
    const artifact = shown.deployment.chunks[0]?.artifacts.find((one) => one.filename === filename);
    return artifact?._links['download-http']?.href ?? '';
  }

  const lacksChunks = isLacking(deltaNeeds);

  it.skipIf(lacksChunks)('of zckdl has the chunks alone that differ, several ranges a request', async () => {
    const { folder, read } = chunked('zckdl');
    const { product, token } = await newProduct();
    await world.release(product.id, 'image.zck', read('next.zck'));
    const link = await linkOf('zckdl', token, 'image.zck');
    mkdirSync(join(folder, 'got'));
    const before = world.passedBytes();
    // It writes where it stands.
    const client = world.start('sh', ['-c', `cd ${folder}/got && zckdl --fail-no-ranges -s ../old.zck '${link}'`]);
    expect(await client.ended, client.output()).toBe(0);
    const bytes = world.passedBytes() - before;
    const [got = ''] = readdirSync(join(folder, 'got'));
    expect(read(`got/${got}`).equals(read('next.zck'))).toBe(true);
    console.info(`zckdl: ${bytes} of ${read('next.zck').length} bytes`);
    expect(bytes).toBeLessThan(imageBytes / 5);
  });

  it.skipIf(lacksChunks || isLacking(swupdateNeeds))(
    'of SWUpdate writes the next image out of the old one',
    async () => {
      const { folder, run, write, read, next } = chunked('swupdate');
      const { product, token } = await newProduct();
      makeSigner(folder, 'own');
      const size = Number(/Header size: *(\d+)/.exec(run('zck_read_header', ['next.zck']).toString())?.[1]);
      const header = read('next.zck').subarray(0, size);
      write('image.header', header);
      write('slot-b.img', Buffer.alloc(imageBytes));
      await world.releaseOf(product.id, (bundleId) => {
        const path = `/DEFAULT/controller/v1/delta/softwaremodules/${bundleId}/artifacts/image.zck`;
        const url = `${world.url.replace('://', `://delta:${token}@`)}${path}`;
        const properties = `url = "${url}"; chain = "raw"; source = "${folder}/old.img"; zckloglevel = "error";`;
        const image = `filename = "image.header"; type = "delta"; device = "${folder}/slot-b.img"; sha256 = "${hash('sha256', header)}";`;
        const all = `version = "1.0.1"; hardware-compatibility: [ "1.0" ]; images: ( { ${image} properties: { ${properties} }; } );`;
        write('sw-description', `software = { ${all} }`);
        const signer = ['-signer', 'own.pem', '-inkey', 'own.key', '-outform', 'DER', '-nosmimecap', '-binary'];
        run('openssl', ['cms', '-sign', '-in', 'sw-description', '-out', 'sw-description.sig', ...signer]);
        const archive = run(
          'cpio',
          ['-o', '-H', 'crc', '--quiet'],
          'sw-description\nsw-description.sig\nimage.header\n',
        );
        return { 'delta.swu': archive, 'image.zck': read('next.zck') };
      });
      const before = world.passedBytes();
      const server = `-t DEFAULT -u ${world.url} -i delta -g ${token} -w 1 -p 2`;
      const client = world.start('swupdate', ['-v', '-H', 'board:1.0', '-k', join(folder, 'own.pem'), '-u', server], {
        TMPDIR: folder,
      });
      await expect.poll(async () => (await world.updateOf('delta'))?.state, slow).toBe('installed');
      const bytes = world.passedBytes() - before;
      await client.stop();
      expect(read('slot-b.img').equals(next)).toBe(true);
      console.info(`SWUpdate: ${bytes} of ${read('next.zck').length} bytes`);
      expect(bytes).toBeLessThan(imageBytes / 5);
    },
  );

  const raucNeeds = { rauc: 'rauc', mksquashfs: 'squashfs-tools', openssl: 'openssl' } as const;

  // RAUC reads the bundle by way of a block device of the kernel, which a test cannot have: these are the ranges that it reads.
  it.skipIf(isLacking(raucNeeds))('of RAUC has the blocks alone that differ, by the index of its bundle', async () => {
    const { run, write, read, folder } = workshop('rauc');
    const { old, next } = images();
    mkdirSync(join(folder, 'content'));
    write('content/rootfs.img', next);
    const image = '[image.rootfs]\nfilename=rootfs.img\nadaptive=block-hash-index\n';
    write('content/manifest.raucm', `[update]\ncompatible=moor-board\nversion=2\n[bundle]\nformat=verity\n${image}`);
    makeSigner(folder, 'own');
    const plain = '--mksquashfs-args=-noD -noI -noF -noX -no-fragments';
    run('rauc', ['--cert=own.pem', '--key=own.key', plain, 'bundle', 'content', 'next.raucb']);
    const bundle = read('next.raucb');
    run('unsquashfs', ['-d', 'unpacked', 'next.raucb']);
    const { product, token } = await newProduct();
    await world.release(product.id, 'next.raucb', bundle);
    const link = await linkOf('adaptive', token, 'next.raucb');
    const index = read('unpacked/rootfs.img.block-hash-index');
    const places = { image: bundle.indexOf(next), index: bundle.indexOf(index) };
    const before = world.passedBytes();
    const fetchRange = async (start: number, length: number): Promise<Buffer> => {
      const reply = await fetch(link, { headers: { range: `bytes=${start}-${start + length - 1}` } });
      expect(reply.status).toBe(206);
      return Buffer.from(await reply.arrayBuffer());
    };
    const wanted = await fetchRange(places.index, index.length);
    const sumOf = (block: Uint8Array) => hash('sha256', block, 'hex');
    const built = Buffer.from(old);
    for (let at = 0; at < imageBytes; at += blockBytes) {
      const sum = wanted.subarray((at / blockBytes) * 32, (at / blockBytes) * 32 + 32).toString('hex');
      const isKnown = sumOf(old.subarray(at, at + blockBytes)) === sum;
      if (!isKnown) (await fetchRange(places.image + at, blockBytes)).copy(built, at);
    }
    const bytes = world.passedBytes() - before;
    expect(built.equals(next)).toBe(true);
    console.info(`RAUC: ${bytes} of ${bundle.length} bytes`);
    expect(bytes).toBeLessThan(imageBytes / 20);
  });
});
