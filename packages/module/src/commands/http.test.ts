import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { testCertificates } from '@moorage/net/testing/certificates';
import { describe, expect, test } from 'vitest';
import { grounds, type HttpRig, httpRig } from '../testing/http-rig.ts';

const { ca, issue } = await testCertificates();
const tls = await issue('server.test', false);
const { ca: otherCa } = await testCertificates();

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Responds with the request that it received. */
const mirror: RequestListener = async (request, response) => {
  const body = await bodyOf(request);
  const { method, url, rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const echoed = `${method} ${url}\n${headers.join('\n')}\n\n${body}`;
  response.writeHead(200, { 'content-length': Buffer.byteLength(echoed) }).end(method === 'HEAD' ? '' : echoed);
};

/** Answers by path. */
const pages: RequestListener = (request, response) => {
  request.resume();
  const path = request.url ?? '';
  if (path === '/chunked') {
    response.write('one ');
    response.write('two ');
    response.end('three');
  } else if (path === '/empty') response.writeHead(204).end();
  else if (path === '/missing') response.writeHead(404, { 'content-length': 4 }).end('none');
  else if (path === '/moved') response.writeHead(302, { location: '/hello', 'content-length': 0 }).end();
  else if (path === '/silent') return;
  else if (path === '/cut') {
    response.writeHead(200, { 'content-length': 100 }).write('partial');
    setImmediate(() => setImmediate(() => request.socket.end()));
  } else response.writeHead(200, { 'content-length': 5 }).end('hello');
};

const opening = (rig: HttpRig, method: string, path: string): string =>
  `[Opening: ${rig.host}]|Request ${method} ${path}|Connecting (HTTP): ${rig.host}:${rig.port}|[Opened: 0]`;

/** Reads a stream to its end. */
async function readAll(rig: HttpRig, handle: number): Promise<string> {
  let text = '';
  for (let count = 0; count < 1000; count++) {
    const { code, payload } = await rig.until(rig.module.execute(`read ${handle} 1000`));
    if (code !== 0) break;
    text += Buffer.from(payload).toString('latin1').replace(/\r\n$/, '');
    if (rig.module.streams.get(handle) === undefined) break;
  }
  return text;
}

// MOD-RULE-http-client, MOD-CMD-http_get, MOD-CMD-http_post, MOD-CMD-http_head
describe.each(grounds)('on %s', (ground) => {
  test('http_get joins, opens, and gives the body, MOD-CMD-http_get, MOD-STREAM-HTTP, MOD-OPT-http_get-url', async () => {
    const rig = await httpRig(pages, { ground });
    const first = await rig.run(`http_get ${rig.base}/hello`);
    expect(first).toMatch(/^\[Associating to harbour-open\]\|.*\|\[Associated\]\|\[Opening: /);
    expect(first.endsWith(`${opening(rig, 'GET', '/hello')}|0 0`)).toBe(true);
    expect(await rig.run('stream_list')).toMatch(new RegExp(`# 0 HTTP  ${rig.host}:${rig.port} \\(\\d+\\)$`));
    expect(await rig.run('http_read_status 0')).toBe('HTTP response: 200|0 200');
    expect(await rig.run('stream_read 0 3')).toBe('0 hel');
    expect(await rig.run('stream_read 0 100')).toBe('[Closed: 0]|0 lo');
    expect(await rig.run('stream_read 0 100')).toBe('No such stream|1 Command failed');
    await rig.close();
  });

  test('the status and the chunks are announced once, at the first read, MOD-CMD-http_read_status', async () => {
    const rig = await httpRig(pages, { ground });
    await rig.run(`hge ${rig.base}/chunked`);
    expect(await rig.run('read 0 4')).toMatch(/^HTTP response: 200\|Chunked response\|0 one $/);
    expect(await rig.run('hre 0')).toBe('0 200');
    expect(await rig.run('http_read 0')).toBe('0 200');
    expect(await readAll(rig, 0)).toBe('two three');
    await rig.close();
  });

  test('http_get -o sends with the first look at the answer, MOD-OPT-http_get-o, MOD-CMD-http_add_header', async () => {
    const rig = await httpRig(mirror, { ground });
    expect(await rig.run(`http_get -o ${rig.base}/a?b=c`)).toContain(`${opening(rig, 'GET', '/a?b=c')}|0 0`);
    // Spec: MOD-OPT-http_add_header-handle, MOD-OPT-http_add_header-key, MOD-OPT-http_add_header-value.
    expect(await rig.run('http_add_header 0 X-One "a value"')).toBe('0 Success');
    expect(await rig.run('had 0 X-One second')).toBe('0 Success');
    expect(await rig.run('had 0 user-agent mine/1')).toBe('0 Success');
    expect(await rig.run('poll 0')).toMatch(/^0 [01]$/);
    expect(await rig.run('had 0 X-Two late')).toBe('Request has been sent|1 Command failed');
    const echoed = await readAll(rig, 0);
    expect(echoed).toMatch(/^GET \/a\?b=c\nHost: /);
    expect(echoed).toContain('X-One: a value\nX-One: second\nuser-agent: mine/1\n');
    expect(echoed).not.toContain('Moorage');
    await rig.close();
  });

  test('http_post queues headers and body, MOD-CMD-http_post, MOD-OPT-http_post-type, MOD-OPT-http_post-o', async () => {
    const rig = await httpRig(mirror, { ground });
    expect(await rig.run(`http_post -o ${rig.base}/form x-www-form-urlencoded`)).toContain('[Opened: 0]|0 0');
    expect(await rig.run('write 0 4', 'a=1&')).toBe('0 Success');
    expect(await rig.run('had 0 X-Late yes')).toBe('0 Success');
    expect(await rig.run('write 0 3', 'b=2')).toBe('0 Success');
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    expect(await rig.run('write 0 3', 'c=3')).toBe('Stream cannot be written|1 Command failed');
    const echoed = await readAll(rig, 0);
    expect(echoed).toMatch(/^POST \/form\n/);
    expect(echoed).toContain(
      'Content-Type: application/x-www-form-urlencoded\nX-Late: yes\nContent-Length: 7\nConnection: close\n\na=1&b=2',
    );
    await rig.close();
  });

  test('http_head has a status and no body; its stream waits for its close, MOD-CMD-http_head, MOD-OPT-http_head-url', async () => {
    const rig = await httpRig(mirror, { ground });
    expect(await rig.run(`http_head ${rig.base}/`)).toContain(`${opening(rig, 'HEAD', '/')}|0 0`);
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    await rig.settle();
    expect(await rig.run('poll 0')).toBe('0 2');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    // Spec: MOD-OPT-http_head-o.
    expect(await rig.run(`http_head -o ${rig.base}/`)).toContain('|0 0');
    expect(await rig.run('had 0 a b')).toBe('0 Success');
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    expect(await rig.run('read 0 10')).toBe('[Closed: 0]|0 ');
    await rig.close();
  });

  test('an answer without a body keeps its status until it has been read to its end', async () => {
    const rig = await httpRig(pages, { ground });
    await rig.run(`hge ${rig.base}/empty`);
    await rig.settle();
    expect(await rig.run('poll all')).toBe('0 0,2');
    expect(await rig.run('hre 0')).toBe('HTTP response: 204|0 204');
    expect(await rig.run('read 0 1')).toBe('[Closed: 0]|0 ');
    await rig.close();
  });

  test.each([
    ['/missing', '404', 'none'],
    ['/moved', '302', ''],
  ])('%s is an answer like any other: a redirect is not followed', async (path, status, body) => {
    const rig = await httpRig(pages, { ground });
    await rig.run(`hge ${rig.base}${path}`);
    expect(await rig.run('hre 0')).toBe(`HTTP response: ${status}|0 ${status}`);
    expect(await readAll(rig, 0)).toBe(body);
    await rig.close();
  });

  test('a server that goes within its answer gives what came, then the end', async () => {
    const rig = await httpRig(pages, { ground });
    await rig.run(`hge ${rig.base}/cut`);
    await rig.settle();
    expect(await rig.run('poll 0 -c')).toBe('0 0,1,7');
    expect(await rig.run('read 0 100')).toBe('HTTP response: 200|[Closed: 0]|Response incomplete|0 partial');
    expect(await rig.run('poll 0')).toBe('No such stream|1 Command failed');
    await rig.close();
  });

  test('a queued request is sent when its stream is closed', async () => {
    const requests: string[] = [];
    const rig = await httpRig(
      async (request, response) => {
        requests.push(`${request.method} ${await bodyOf(request)}`);
        response.end('thanks');
      },
      { ground },
    );
    await rig.run(`hpo -o ${rig.base}/ text/plain`);
    await rig.run('write 0 5', 'hello');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    await rig.settle();
    expect(requests).toEqual(['POST hello']);
    await rig.close();
  });

  test('a body over 64 KiB goes out as it comes', async () => {
    const rig = await httpRig(
      async (request, response) => {
        const hash = createHash('sha256');
        let size = 0;
        for await (const chunk of request as AsyncIterable<Buffer>) {
          hash.update(chunk);
          size += chunk.length;
        }
        response.end(
          `${request.headers['transfer-encoding'] ?? request.headers['content-length']} ${size} ${hash.digest('hex')}`,
        );
      },
      { ground },
    );
    const piece = Buffer.alloc(50_000, 'moorage ');
    const expected = createHash('sha256')
      .update(Buffer.concat(Array(5).fill(piece)))
      .digest('hex');
    for (const announced of [false, true]) {
      await rig.run(`hpo ${rig.base}/ application/octet-stream`);
      if (announced) expect(await rig.run('had 0 Content-Length 250000')).toBe('0 Success');
      for (let count = 0; count < 5; count++) expect(await rig.run('write 0 50000', piece)).toBe('0 Success');
      if (announced)
        expect(await rig.run('write 0 1', 'x')).toBe('More data than the size of the file|1 Command failed');
      expect(await readAll(rig, 0)).toBe(`${announced ? 250_000 : 'chunked'} 250000 ${expected}`);
    }
    await rig.close();
  });

  test('HTTPS checks the server with the named file, MOD-STREAM-HTTPS, MOD-OPT-http_get-cert', async () => {
    const rig = await httpRig(mirror, { ground, tls });
    const size = Buffer.byteLength(ca);
    await rig.run(`file_create my_ca.pem ${size} 1.0.0 03`, ca);
    const lines = `[Opening: ${rig.host}]|Request GET /x|Connecting (https): ${rig.host}:${rig.port}|Starting TLS`;
    expect(await rig.run(`hge ${rig.base}/x my_ca.pem`)).toContain(`${lines}|[Opened: 0]|0 0`);
    expect(await rig.run('list')).toContain(`# 0 HTTPS ${rig.host}:${rig.port} (`);
    expect(await readAll(rig, 0)).toMatch(/^GET \/x\n/);
    // Spec: MOD-VAR-network.ca_cert.
    await rig.run('set network.ca_cert my_ca.pem');
    expect(await rig.run(`hpo ${rig.base}/x text/plain`)).toMatch(/Starting TLS\|\[Opened: 0\]\|0 0$/);
    expect(await rig.run('hre 0')).toBe('HTTP response: 200|0 200');
    await rig.close();
  });

  test('HTTPS with an authority that has not signed the server fails with the documented lines', async () => {
    const rig = await httpRig(mirror, { ground, tls });
    await rig.run(`file_create other.pem ${Buffer.byteLength(otherCa)}`, otherCa);
    const failed = /Starting TLS\|Error with TLS handshake: 5035\|\[Open failed\]\|1 Command failed$/;
    expect(await rig.run(`hge ${rig.base}/ other.pem`)).toMatch(failed);
    // Spec: MOD-OPT-http_head-cert.
    expect(await rig.run(`hhe -o ${rig.base}/ other.pem`)).toMatch(failed);
    // No file is named, so it is the host's authorities that do not know the server.
    expect(await rig.run(`hge ${rig.base}/`)).toMatch(failed);
    expect(await rig.run(`hge ${rig.base}/ absent.pem`)).toBe('File not found|1 Command failed');
    await rig.run('file_create text.pem 5', 'hello');
    // Spec: MOD-OPT-http_post-cert, MOD-OPT-http_post-url.
    expect(await rig.run(`hpo ${rig.base}/ text/plain text.pem`)).toBe('Certificate malformed|1 Command failed');
    await rig.close();
  });

  test('TLS towards a server without it fails', async () => {
    const rig = await httpRig(pages, { ground });
    const secure = `https://${rig.host}:${rig.port}/`;
    expect(await rig.run(`hge ${secure}`)).toMatch(
      /Starting TLS\|Error with TLS handshake: [^|]+\|\[Open failed\]\|1 Command failed$/,
    );
    await rig.close();
  });
});

describe('failures', () => {
  test.each([
    [
      'a name that is not known',
      'http_get nowhere.test/x',
      'nowhere.test',
      'GET /x',
      'nowhere.test:80',
      'Host not found: nowhere.test',
    ],
    [
      'a port without a listener',
      'http_head server.test:81',
      'server.test',
      'HEAD /',
      'server.test:81',
      'Connection refused',
    ],
  ])('%s', async (_, line, host, request, address, reason) => {
    const rig = await httpRig(pages);
    await rig.run('network_up');
    await rig.run('get wlan.ssid');
    const said = await rig.run(line);
    expect(said).toContain(
      `[Opening: ${host}]|Request ${request}|Connecting (HTTP): ${address}|${reason}|[Open failed]|1 Command failed`,
    );
    expect(await rig.run('poll all')).toBe('0 None');
  });

  test('a server that does not answer the dial is given up after tcp.client.connect_timeout, MOD-OPT-http_get-timeout', async () => {
    const rig = await httpRig(pages, { conditions: { silent: true } });
    await rig.run('hge server.test');
    await rig.run('set tcp.client.connect_timeout 700');
    const before = rig.clock.monotonic();
    expect(await rig.run('hge server.test')).toMatch(/\[Open failed\]\|1 Command failed$/);
    expect(rig.clock.monotonic() - before).toBeGreaterThanOrEqual(700);
    expect(rig.clock.monotonic() - before).toBeLessThan(900);
  });

  test('a server that does not answer the request: the status fails, the stream stays', async () => {
    const rig = await httpRig(pages);
    await rig.run('hge server.test/silent');
    const before = rig.clock.monotonic();
    expect(await rig.run('hre 0')).toBe('No HTTP response|1 Command failed');
    expect(rig.clock.monotonic() - before).toBeGreaterThanOrEqual(5000);
    expect(await rig.run('read 0 10')).toBe('0 ');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
  });

  test('a join that fails fails the command', async () => {
    const rig = await httpRig(pages);
    await rig.run('set wlan.ssid nowhere');
    expect(await rig.run('hge server.test')).toMatch(/\|1 Command failed$/);
    expect(await rig.run('hge server.test')).not.toContain('Opening');
    await rig.run('set wlan.ssid ""');
    expect(await rig.run('hdo server.test/a')).toBe('SSID not set|1 Command failed');
  });

  test('with all handles taken nothing is dialled', async () => {
    const rig = await httpRig(pages);
    await rig.run('nup');
    await rig.run('hge server.test/hello');
    for (let handle = 1; handle < 8; handle++) expect(await rig.run(`fcr -o f${handle} 1`)).toBe(`0 ${handle}`);
    expect(await rig.run('hge server.test/hello')).toBe('No free stream|1 Command failed');
  });

  test('-i names the interface, MOD-OPT-http_get-i, MOD-OPT-http_head-i, MOD-OPT-http_post-i', async () => {
    const rig = await httpRig(pages);
    expect(await rig.run('hge -i softap server.test/hello')).toMatch(/^IPv4 address: 10\.10\.10\.1\|.*\|0 0$/);
    expect(await rig.run('hhe -i wlan server.test/hello')).toMatch(/^\[Associating.*\|0 1$/);
    expect(await rig.run('hpo -i wlan server.test/hello a/b')).toMatch(/^\[Opening.*\|0 2$/);
    expect(await rig.run('hge -i lan server.test/hello')).toBe('7 Invalid argument');
  });

  test.each([
    ['http_get', '4 Too few arguments'],
    ['http_get a b c', '5 Too many arguments'],
    ['http_get -x a', '6 Unknown variable'],
    ['http_get ftp://server.test/', '7 Invalid argument'],
    ['http_get http://user@server.test/', '7 Invalid argument'],
    ['http_get http://server.test:0/', '7 Invalid argument'],
    ['http_get http://server.test:70000/', '7 Invalid argument'],
    ['http_get http:///', '7 Invalid argument'],
    ['http_get ""', '7 Invalid argument'],
    ['http_head', '4 Too few arguments'],
    ['http_post server.test', '4 Too few arguments'],
    ['http_post server.test "text plain"', '7 Invalid argument'],
    ['http_post server.test a b c', '5 Too many arguments'],
    ['http_add_header 0 a', '4 Too few arguments'],
    ['http_add_header x a b', '7 Invalid argument'],
    ['http_add_header 0 a b', 'No such stream|1 Command failed'],
    ['http_read_status', '4 Too few arguments'],
    ['http_read_status 0', 'No such stream|1 Command failed'],
    ['http_read_status x', '7 Invalid argument'],
    ['http_read_status 0 1', '5 Too many arguments'],
  ])('%s is refused', async (line, expected) => {
    const rig = await httpRig(pages);
    expect(await rig.run(line)).toBe(expected);
  });

  test('headers are checked, and have a limit', async () => {
    const rig = await httpRig(pages);
    await rig.run('hge -o server.test');
    expect(await rig.run('had 0 "a b" c')).toBe('Header malformed|7 Invalid argument');
    expect(await rig.run('had 0 a: c')).toBe('Header malformed|7 Invalid argument');
    expect(await rig.run('had 0 a "x\u0001y"')).toBe('Header malformed|7 Invalid argument');
    expect(await rig.run('had 0 Content-Length many')).toBe('Header malformed|7 Invalid argument');
    for (let count = 0; count < 4; count++) expect(await rig.run(`had 0 h ${'x'.repeat(1900)}`)).toBe('0 Success');
    expect(await rig.run(`had 0 h ${'x'.repeat(1900)}`)).toBe('Headers too large|1 Command failed');
  });

  test('other streams are no HTTP streams', async () => {
    const rig = await httpRig(pages);
    await rig.run('fcr -o f 1');
    expect(await rig.run('hre 0')).toBe('No HTTP stream|1 Command failed');
    expect(await rig.run('had 0 a b')).toBe('No HTTP stream|1 Command failed');
  });

  test('network_down closes the stream', async () => {
    const rig = await httpRig(pages);
    await rig.run('hge server.test/hello');
    expect(await rig.run('ndo')).toBe('[Closed: 0]|[Disassociated]|0 Success');
    expect(await rig.run('hre 0')).toBe('No such stream|1 Command failed');
  });
});

test.each(grounds)('an answer that is not read is held back below, and comes whole, on %s', async (ground) => {
  const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
  const pieces = Array.from({ length: 125 }, (_, index) => content.subarray(index * 8000, (index + 1) * 8000));
  const rig = await httpRig((_, response) => void Readable.from(pieces).pipe(response), { ground });
  await rig.run(`hge ${rig.base}/big`);
  await rig.settle();
  await rig.clock.advance(10_000);
  const held = rig.module.streams.get(0)?.available() ?? 0;
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(192 * 1024);
  const hash = createHash('sha256');
  let size = 0;
  while (rig.module.streams.get(0)) {
    const { payload } = await rig.until(rig.module.execute('read 0 60000'));
    if (payload.length > 0) hash.update(payload.subarray(0, payload.length - 2));
    size += Math.max(0, payload.length - 2);
  }
  expect(size).toBe(content.length);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
  await rig.close();
});
