import type { IncomingMessage, RequestListener } from 'node:http';
import { storePem } from '@moorage/device/identity';
import { testCertificates } from '@moorage/net/testing/certificates';
import { describe, expect, test } from 'vitest';
import { FlashFiles } from '../cloud/flash-files.ts';
import { grounds, httpRig } from '../testing/http-rig.ts';

const { ca, issue } = await testCertificates();
const tls = await issue('server.test', false);

/** Takes uploads; answers with the status that the path names. */
function uploads() {
  const taken: { type: string; length: number; body: Buffer }[] = [];
  const answer: RequestListener = async (request: IncomingMessage, response) => {
    const status = Number(request.url?.slice(1));
    if (status === 413) {
      // Refused before the body has come.
      response.writeHead(413, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { 'content-type': type = '', 'content-length': length } = request.headers;
    taken.push({ type, length: Number(length), body: Buffer.concat(chunks) });
    response.writeHead(status, { 'content-length': 2 }).end('ok');
  };
  return { taken, answer };
}

const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));

describe.each(grounds)('on %s', (ground) => {
  test('http_upload sends a file as multipart form data, MOD-CMD-http_upload', async () => {
    const { taken, answer } = uploads();
    const rig = await httpRig(answer, { ground });
    await rig.run(`fcr big.bin ${content.length}`, content);
    await rig.join();
    const lines = [
      `[Opening: ${rig.host}]`,
      'Request POST /200',
      `Connecting (HTTP): ${rig.host}:${rig.port}`,
      '[Opened: 0]',
      'HTTP response: 200',
      '[Closed: 0]',
      '0 Success',
    ];
    expect(await rig.run(`http_upload ${rig.base}/200 big.bin "my file.bin"`)).toBe(lines.join('|'));
    const [got] = taken;
    if (!got) throw new Error('Nothing was uploaded');
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(got.type)?.[1] ?? '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="my file.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const tail = `\r\n--${boundary}--\r\n`;
    expect(got.length).toBe(got.body.length);
    expect(got.body.equals(Buffer.concat([Buffer.from(head), content, Buffer.from(tail)]))).toBe(true);
    // Another program's parser reads it, too.
    const form = await new Response(new Uint8Array(got.body), { headers: { 'content-type': got.type } }).formData();
    const file = form.get('file');
    expect(file instanceof File && file.name).toBe('my file.bin');
    expect(file instanceof File && Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
    await rig.close();
  });

  test.each([201, 404, 500])('a status of %i decides', async (status) => {
    const rig = await httpRig(uploads().answer, { ground });
    await rig.run('fcr a 5', 'hello');
    const said = await rig.run(`hup ${rig.base}/${status} a b`);
    expect(
      said.endsWith(`HTTP response: ${status}|[Closed: 0]|${status < 300 ? '0 Success' : '1 Command failed'}`),
    ).toBe(true);
    await rig.close();
  });

  test('a server that refuses before the file has come fails it', async () => {
    const rig = await httpRig(uploads().answer, { ground });
    await rig.run(`fcr big.bin ${content.length}`, content);
    expect(await rig.run(`hup ${rig.base}/413 big.bin b`)).toMatch(/\[Closed: 0\]\|1 Command failed$/);
    expect(await rig.run('poll all')).toBe('0 None');
    await rig.close();
  });

  test('over TLS', async () => {
    const { taken, answer } = uploads();
    const rig = await httpRig(answer, { ground, tls });
    await rig.run(`fcr my_ca.pem ${Buffer.byteLength(ca)}`, ca);
    expect(await rig.run(`hup ${rig.base}/200 my_ca.pem b my_ca.pem`)).toMatch(
      /Starting TLS\|\[Opened: 0\]\|HTTP response: 200\|\[Closed: 0\]\|0 Success$/,
    );
    expect(taken[0]?.body.includes(ca)).toBe(true);
    await rig.close();
  });
});

test('a name with quotes cannot leave its place', async () => {
  const { taken, answer } = uploads();
  const rig = await httpRig(answer);
  await rig.run('fcr a 1', 'x');
  // A quote inside a word that does not begin with one belongs to it.
  const said = await rig.run('hup server.test/200 a b";x="y');
  const line = taken[0]?.body.toString().split('\r\n')[1] ?? '';
  expect(said).toMatch(/0 Success$/);
  expect(line.match(/"/g)).toHaveLength(4);
});

test.each([
  ['hup', '4 Too few arguments'],
  ['hup server.test/200 a', '4 Too few arguments'],
  ['hup server.test/200 a b c d', '5 Too many arguments'],
  ['hup -o server.test/200 a b', '6 Unknown variable'],
  ['hup ftp://server.test/200 a b', '7 Invalid argument'],
  ['hup -i lan server.test/200 a b', '7 Invalid argument'],
  ['hup server.test/200 absent b', 'File not found|1 Command failed'],
])('%s is refused', async (line, expected) => {
  expect(await (await httpRig(uploads().answer)).run(line)).toBe(expected);
});

test('the private key of the module is sent nowhere', async () => {
  const { taken, answer } = uploads();
  const rig = await httpRig(answer);
  await storePem(new FlashFiles(rig.module.flash), 'device.key', 'secret');
  expect(await rig.run('hup server.test/200 device.key b')).toBe('File protected|1 Command failed');
  expect(taken).toEqual([]);
});

test('a server that is not there fails it', async () => {
  const rig = await httpRig(uploads().answer);
  await rig.run('fcr a 1', 'x');
  expect(await rig.run('hup nowhere.test/200 a b')).toMatch(/\[Open failed\]\|1 Command failed$/);
});
