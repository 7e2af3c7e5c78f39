import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { crc16 } from '@moorage/base';
import { testCertificates } from '@moorage/net/testing/certificates';
import { describe, expect, test } from 'vitest';
import { spoolName } from '../device/flash-spool.ts';
import { defaultModel, type Model } from '../model/model.ts';
import { grounds, type HttpRig, httpRig } from '../testing/http-rig.ts';

const { ca, issue } = await testCertificates();
const tls = await issue('server.test', false);

const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
const crc = crc16(content).toString(16).toUpperCase().padStart(4, '0');

/** Answers by path. */
const files: RequestListener = (request, response) => {
  const path = request.url ?? '';
  if (path.startsWith('/hello')) response.writeHead(200, { 'content-length': 5 }).end('hello');
  else if (path === '/big.bin') response.writeHead(200, { 'content-length': content.length }).end(content);
  else if (path === '/chunked.bin')
    void Readable.from([content.subarray(0, 70_000), content.subarray(70_000)]).pipe(response);
  else if (path === '/whole.bin') {
    response.useChunkedEncodingByDefault = false;
    response.end(content);
  } else if (path === '/nothing') response.writeHead(200, { 'content-length': 0 }).end();
  else if (path === '/huge') response.writeHead(200, { 'content-length': 3_000_000 }).end(Buffer.alloc(3_000_000));
  else if (path === '/endless') {
    void Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(64_000);
      })(),
    ).pipe(response);
  } else if (path === '/cut') {
    response.writeHead(200, { 'content-length': 100 }).write('partial');
    setImmediate(() => setImmediate(() => request.socket.destroy()));
  } else if (path === '/cut-chunked') {
    response.write('partial');
    setImmediate(() => setImmediate(() => request.socket.destroy()));
  } else if (path === '/stalled') response.writeHead(200, { 'content-length': 100 }).write('partial');
  else if (path === '/moved') response.writeHead(301, { location: '/hello', 'content-length': 0 }).end();
  else if (path !== '/silent') response.writeHead(404, { 'content-length': 4 }).end('none');
};

const head = (rig: HttpRig, path: string): string =>
  `[Opening: ${rig.host}]|Request GET ${path}|Connecting (HTTP): ${rig.host}:${rig.port}|[Opened: 0]`;

async function joinedRig(...[options]: [Parameters<typeof httpRig>[1]?]) {
  const rig = await httpRig(files, options);
  await rig.join();
  return rig;
}

async function contentOf(rig: HttpRig, name: string): Promise<Buffer | undefined> {
  const read = await rig.module.flash.readAll(name, 4_000_000);
  return read.ok ? Buffer.from(read.value) : undefined;
}

describe.each(grounds)('on %s', (ground) => {
  test('http_download puts a file into flash, MOD-CMD-http_download, MOD-DL-url, MOD-DL-name, MOD-DL-type', async () => {
    const rig = await joinedRig({ ground });
    const said = `${head(rig, '/hello.txt?x=1')}|HTTP response: 200|File downloaded|[Closed: 0]|0 Success`;
    expect(await rig.run(`http_download ${rig.base}/hello.txt?x=1`)).toBe(said);
    expect(await rig.run('fst hello.txt')).toBe('0 5,42D3,1.0.0.0,e,FE,0021');
    expect(await contentOf(rig, 'hello.txt')).toEqual(Buffer.from('hello'));
    await rig.close();
  });

  test.each([
    ['/big.bin', ''],
    ['/chunked.bin', 'Chunked response|'],
    ['/whole.bin', ''],
  ])('%s comes whole', async (path, chunked) => {
    const rig = await joinedRig({ ground });
    const said = `${head(rig, path)}|HTTP response: 200|${chunked}File downloaded|[Closed: 0]|0 Success`;
    expect(await rig.run(`hdo -c ${crc} ${rig.base}${path}`)).toBe(said);
    expect((await contentOf(rig, path.slice(1)))?.equals(content)).toBe(true);
    await rig.close();
  });

  test.each([
    ['/cut', 'HTTP response: 200|Download incomplete'],
    ['/cut-chunked', 'HTTP response: 200|Chunked response|Download incomplete'],
    ['/absent', 'HTTP response: 404'],
    ['/moved', 'HTTP response: 301'],
  ])('%s leaves no file', async (path, lines) => {
    const rig = await joinedRig({ ground });
    const before = rig.module.flash.free('e');
    expect(await rig.run(`hdo ${rig.base}${path} name`)).toBe(
      `${head(rig, path)}|${lines}|[Closed: 0]|1 Command failed`,
    );
    expect(rig.module.flash.stat('name')).toBeUndefined();
    expect(rig.module.flash.free('e')).toBe(before);
    expect(await rig.run('poll all')).toBe('0 None');
    await rig.close();
  });

  test('HTTPS takes its authority from a file, MOD-DL-cert, MOD-DL-manifest-cert', async () => {
    const rig = await joinedRig({ ground, tls });
    await rig.run(`fcr my_ca.pem ${Buffer.byteLength(ca)}`, ca);
    expect(await rig.run(`hdo ${rig.base}/hello a 0 FE my_ca.pem`)).toMatch(
      /Starting TLS\|\[Opened: 0\]\|.*0 Success$/,
    );
    expect(await rig.run(`hdo ${rig.base}/hello b`)).toMatch(
      /Error with TLS handshake: .*\|\[Open failed\]\|1 Command failed$/,
    );
    const manifest = JSON.stringify({ path: rig.base, cert: 'my_ca.pem', files: [{ remote: 'hello', local: 'c' }] });
    expect(await rig.run(`hdo -m ${manifest.length}`, manifest)).toMatch(/0 Success$/);
    expect(rig.module.flash.stat('b')).toBeUndefined();
    expect(rig.module.flash.stat('c')?.size).toBe(5);
    await rig.close();
  });
});

describe('options', () => {
  test('all of them, in the documented order and in others, MOD-DL-order, MOD-DL-eu, MOD-DL-c, MOD-DL-i', async () => {
    const rig = await joinedRig();
    const answer = /0 Success$/;
    expect(await rig.run('hdo -i wlan -d -e -u -c 42D3 server.test/hello a 2.0.1 0xC0')).toMatch(answer);
    expect(await rig.run('fst a')).toBe('0 5,42D3,2.0.1.0,e,C0,0161');
    expect(await rig.run('hdo -i wlan -ue -c 0x42d3 server.test/hello b 2.0.1 C0')).toMatch(answer);
    expect(await rig.run('fst b')).toBe('0 5,42D3,2.0.1.0,e,C0,0161');
    expect(await rig.run('hdo -u server.test/hello c')).toMatch(answer);
    expect(await rig.run('fst c')).toBe('0 5,42D3,1.0.0.0,e,FE,0121');
    expect(await rig.run('hdo -i softap server.test/hello d')).toMatch(/^IPv4 address: .*0 Success$/);
  });

  test('version 0 is the default, MOD-VER-2, MOD-DL-version', async () => {
    const rig = await joinedRig();
    await rig.run('hdo server.test/hello a 0');
    expect(await rig.run('fst a')).toBe('0 5,42D3,1.0.0.0,e,FE,0021');
    await rig.run('hdo server.test/hello a 3');
    expect(await rig.run('fst a')).toBe('0 5,42D3,3.0.0.0,e,FE,0021');
  });

  test('%s becomes the name in flash, MOD-DL-percent-s', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo server.test/%s?a hello.css')).toContain('Request GET /hello.css?a|');
    expect(rig.module.flash.stat('hello.css')?.size).toBe(5);
    expect(await rig.run('hdo server.test/%s')).toBe('7 Invalid argument');
  });

  test('a file of that name is replaced, or with -d refused before anything is dialled, MOD-DL-d, MOD-ERR-download-duplicate', async () => {
    const rig = await joinedRig();
    await rig.run('fcr a 2', 'hi');
    expect(await rig.run('hdo -d server.test/hello a')).toBe('File exists|1 Command failed');
    expect(await contentOf(rig, 'a')).toEqual(Buffer.from('hi'));
    expect(await rig.run('hdo server.test/cut a')).toMatch(/1 Command failed$/);
    expect(await contentOf(rig, 'a')).toEqual(Buffer.from('hi'));
    expect(await rig.run('hdo server.test/hello a')).toMatch(/0 Success$/);
    expect(await contentOf(rig, 'a')).toEqual(Buffer.from('hello'));
    expect(await rig.run('hdo server.test/hello wifi_fw.bin')).toMatch(
      /File protected\|\[Closed: 0\]\|1 Command failed$/,
    );
    expect(await rig.run('hdo server.test/hello prog 1 81')).toMatch(
      /File protected\|\[Closed: 0\]\|1 Command failed$/,
    );
  });

  test.each(['/hello', '/chunked.bin'])(
    '%s with another CRC than announced is not there, MOD-ERR-download-crc',
    async (path) => {
      const rig = await joinedRig();
      expect(await rig.run(`hdo -c 1234 server.test${path} a`)).toMatch(
        /File CRC mismatch\|\[Closed: 0\]\|1 Command failed$/,
      );
      expect(rig.module.flash.stat('a')).toBeUndefined();
    },
  );

  test.each([
    ['hdo', '4 Too few arguments'],
    ['hdo -d', '4 Too few arguments'],
    ['hdo -c server.test', '7 Invalid argument'],
    ['hdo -c', '4 Too few arguments'],
    ['hdo a b 1 FE c d', '5 Too many arguments'],
    ['hdo -x server.test/a', '6 Unknown variable'],
    ['hdo -c 12345 server.test/a', '7 Invalid argument'],
    ['hdo -c xyz server.test/a', '7 Invalid argument'],
    ['hdo -i lan server.test/a', '7 Invalid argument'],
    ['hdo server.test', '7 Invalid argument'],
    ['hdo server.test/a/', '7 Invalid argument'],
    ['hdo ftp://server.test/a', '7 Invalid argument'],
    ['hdo server.test/a b x', '7 Invalid argument'],
    ['hdo server.test/a b 32', '7 Invalid argument'],
    ['hdo server.test/a b 1 100', '7 Invalid argument'],
    [`hdo server.test/a ${'n'.repeat(96)}`, '7 Invalid argument'],
    ['hdo -m', '4 Too few arguments'],
    ['hdo -m 1', '7 Invalid argument'],
    ['hdo -m 40000', '7 Invalid argument'],
    ['hdo -m 20 server.test/a', '5 Too many arguments'],
    ['hdo -m 20 -d', '5 Too many arguments'],
    ['hdo -m 20 -e', '5 Too many arguments'],
    ['hdo -m 20 -i wlan', '5 Too many arguments'],
    ['hdo -m 20 -c 12', '5 Too many arguments'],
  ])('%s is refused', async (line, expected) => {
    const rig = await httpRig(files);
    expect(await rig.run(line)).toBe(expected);
  });
});

describe('the manifest', () => {
  const manifestOf = (value: unknown): [string, string] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [`http_download -m ${Buffer.byteLength(text)}`, text];
  };

  test('names several files, MOD-DL-m, MOD-DL-manifest-path, MOD-DL-manifest-files', async () => {
    const rig = await joinedRig();
    const said = await rig.run(
      ...manifestOf({
        path: 'http://server.test/%s',
        files: [
          { remote: 'hello', local: 'a', version: '2.1', type: 0xc1, flags: 'eu', crc: 0x42d3 },
          { remote: 'hello.css' },
          { remote: 'chunked.bin', local: 'c', version: '0', comment: 'skipped' },
        ],
      }),
    );
    const one = (path: string, chunked = '') =>
      `${head(rig, path)}|HTTP response: 200|${chunked}File downloaded|[Closed: 0]`;
    expect(said).toBe(`${one('/hello')}|${one('/hello.css')}|${one('/chunked.bin', 'Chunked response|')}|0 Success`);
    expect(await rig.run('fst a')).toBe('0 5,42D3,2.1.0.0,e,C1,0161');
    expect(await rig.run('fst hello.css')).toBe('0 5,42D3,1.0.0.0,e,FE,0021');
    expect(await rig.run('fst c')).toBe(`0 100000,${crc},1.0.0.0,e,FE,0021`);
  });

  test('stops at the first file that fails; what is complete stays', async () => {
    const rig = await joinedRig();
    const list = ['hello', 'absent', 'hello2'].map((remote) => ({ remote }));
    expect(await rig.run(...manifestOf({ path: 'server.test', files: list }))).toMatch(
      /HTTP response: 404\|\[Closed: 0\]\|1 Command failed$/,
    );
    expect(rig.module.flash.stat('hello')?.size).toBe(5);
    expect(rig.module.flash.stat('hello2')).toBeUndefined();
  });

  const file = { remote: 'hello' };
  test.each([
    ['no JSON', 'nonsense'],
    ['no object', '[]'],
    ['null', 'null'],
    ['no path', { files: [file] }],
    ['no files', { path: 'a' }],
    ['an empty list', { path: 'a', files: [] }],
    ['too many files', { path: 'a', files: Array(251).fill(file) }],
    ['a certificate that is no name', { path: 'a', cert: 1, files: [file] }],
    ['a path that is no URL', { path: 'ftp://a', files: [file] }],
    ['a file that is no object', { path: 'a', files: ['hello'] }],
    ['no remote', { path: 'a', files: [{ local: 'a' }] }],
    ['an empty local', { path: 'a', files: [{ ...file, local: '' }] }],
    ['a local that is no text', { path: 'a', files: [{ ...file, local: 5 }] }],
    ['a version that is none', { path: 'a', files: [{ ...file, version: 'x' }] }],
    ['a type over 255', { path: 'a', files: [{ ...file, type: 256 }] }],
    ['a type that is a text', { path: 'a', files: [{ ...file, type: 'FE' }] }],
    ['a CRC over 65535', { path: 'a', files: [{ ...file, crc: 65_536 }] }],
    ['a CRC that is no integer', { path: 'a', files: [{ ...file, crc: 1.5 }] }],
    ['an unknown flag', { path: 'a', files: [{ ...file, flags: 'x' }] }],
    ['a flag twice', { path: 'a', files: [{ ...file, flags: 'ee' }] }],
  ])('with %s is refused before anything is dialled', async (_, value) => {
    const rig = await joinedRig();
    expect(await rig.run(...manifestOf(value))).toBe('Manifest malformed|7 Invalid argument');
  });

  test('that does not come fails', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo -m 20', '{"path"')).toBe('1 Command failed');
  });
});

describe('limits', () => {
  test('a file that is too large is refused before its bytes come', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo server.test/huge')).toMatch(
      /HTTP response: 200\|Not enough space\|\[Closed: 0\]\|1 Command failed$/,
    );
  });

  test('content of unknown size ends when no area can hold it', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo server.test/endless')).toMatch(
      /Chunked response\|Not enough space\|\[Closed: 0\]\|1 Command failed$/,
    );
    expect(rig.module.flash.stat('endless')).toBeUndefined();
  });

  test('what does not fit into extended flash goes into bulk flash', async () => {
    const model: Model = {
      ...defaultModel,
      flash: { ...defaultModel.flash, areaBytes: { ...defaultModel.flash.areaBytes, b: 8 * 1024 * 1024 } },
    };
    const rig = await joinedRig({ model });
    rig.module.flash.connectBulk(true);
    expect(await rig.run('hdo server.test/huge')).toMatch(/0 Success$/);
    expect(await rig.run('fst huge')).toMatch(/^0 3000000,[0-9A-F]{4},1\.0\.0\.0,b,FE,0021$/);
  });

  test('a server that falls silent within the file is given up', async () => {
    const rig = await joinedRig();
    const before = rig.clock.monotonic();
    expect(await rig.run('hdo server.test/stalled')).toMatch(/Download incomplete\|\[Closed: 0\]\|1 Command failed$/);
    expect(rig.clock.monotonic() - before).toBeGreaterThanOrEqual(30_000);
    expect(rig.module.flash.stat('stalled')).toBeUndefined();
  });

  test('a server that does not answer is given up', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo server.test/silent')).toMatch(/No HTTP response\|\[Closed: 0\]\|1 Command failed$/);
  });

  test('an empty file is a file', async () => {
    const rig = await joinedRig();
    expect(await rig.run('hdo server.test/nothing')).toMatch(/0 Success$/);
    expect(await rig.run('fst nothing')).toBe('0 0,FFFF,1.0.0.0,e,FE,0021');
  });

  test('a network that goes down within the file leaves none, and nothing in the way of the next', async () => {
    const rig = await joinedRig();
    const running = rig.module.execute('hdo server.test/stalled');
    await rig.settle();
    rig.module.wlan.down('wlan');
    await rig.module.streams.closeConnections();
    expect((await rig.until(running)).code).toBe(1);
    expect(rig.module.flash.stat('stalled')).toBeUndefined();
    expect(await rig.run('hdo server.test/hello')).toMatch(/0 Success$/);
  });

  test('nothing of a spool is left', async () => {
    const rig = await joinedRig();
    await rig.run('hdo server.test/chunked.bin');
    expect(rig.module.flash.list().map(({ name }) => name)).not.toContain(spoolName);
  });
});
