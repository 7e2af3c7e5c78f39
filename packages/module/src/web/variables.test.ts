import { unwrap } from '@moorage/base';
import { testCertificates } from '@moorage/net/testing/certificates';
import { describe, expect, test } from 'vitest';
import { exchange, type WebRig, webRig } from '../testing/web-rig.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function turns(count = 30): Promise<void> {
  for (let at = 0; at < count; at++) await turn();
}

const replies = (text: string): readonly Record<string, unknown>[] =>
  Array.from(text.matchAll(/\{"id".*?\}/g), ([reply]) => JSON.parse(reply) as Record<string, unknown>);

// MOD-RULE-http-server
describe('variables of the server', () => {
  const start = (variables: Record<string, string | number>): Promise<WebRig> => webRig({ variables });

  // MOD-VAR-http.server.enabled
  test('http.server.enabled switches it on', async () => {
    const rig = await start({ 'http.server.enabled': 0 });
    expect(rig.logged().join()).not.toContain('server listening');
    await expect(rig.call('GET', '/')).rejects.toThrow();
    await rig.close();
  });

  // MOD-VAR-http.server.port
  test('http.server.port is where it listens', async () => {
    const rig = await start({ 'http.server.port': 8081 });
    expect(rig.logged()).toContain('HTTP and REST API server listening on port: 8081');
    await expect(rig.call('GET', '/')).rejects.toThrow();
    await rig.close();
  });

  // MOD-VAR-http.server.interface, MOD-HTTP-interface
  test.each([
    ['wlan', 'wlan', true],
    ['softap', 'wlan', false],
    ['default', 'wlan', true],
    ['default', 'softap', false],
  ])('http.server.interface %s with the default %s runs on the station: %s', async (iface, fallback, runs) => {
    const rig = await start({ 'http.server.interface': iface, 'network.default_interface': fallback });
    unwrap(await rig.module.wlan.ensureUp('wlan'));
    expect(rig.module.services.isRunning('http')).toBe(runs);
    if (!runs) {
      await rig.run('set softap.ssid quay');
      unwrap(await rig.module.wlan.ensureUp('softap'));
      await turns();
      expect(rig.module.services.isRunning('http')).toBe(true);
      expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    }
    await rig.close();
  });

  // MOD-VAR-http.server.api_enabled
  test('without http.server.api_enabled the paths of the API are files', async () => {
    const rig = await start({ 'http.server.api_enabled': 0 });
    expect(rig.logged()).toContain('HTTP server listening on port: 80');
    for (const path of ['/command/ver', '/command', '/log', '/stream'])
      expect((await rig.call('GET', path)).status).toBe(404);
    const headers = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    expect((await rig.call('GET', '/stream', { headers })).status).toBe(404);
    await rig.put('log', 'a file');
    expect((await rig.call('GET', '/log')).text).toBe('a file');
    await rig.close();
  });

  // MOD-VAR-http.server.cors_origin, MOD-HTTP-cors, MOD-HTTP-options
  test('with http.server.cors_origin every answer has it, and preflights are answered without authorization', async () => {
    const rig = await start({
      'http.server.cors_origin': 'http://quay.example',
      'http.server.username': 'ada',
      'http.server.password': 'secret',
    });
    const authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    for (const path of ['/', '/none', '/log', '/command', '/stream', '/command/ver', '/%zz']) {
      for (const headers of [{}, { authorization }]) {
        const answer = await rig.call('GET', path, { headers });
        expect(answer.headers['access-control-allow-origin'], path).toBe('http://quay.example');
      }
    }
    const preflight = await rig.call('OPTIONS', '/command/ver', {
      headers: {
        origin: 'http://elsewhere',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect([preflight.status, preflight.text]).toEqual([200, '']);
    expect(preflight.headers['access-control-allow-origin']).toBe('http://quay.example');
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST, OPTIONS');
    for (const name of ['content-type', 'accept', 'authorization'])
      expect(preflight.headers['access-control-allow-headers']).toContain(name);
    await rig.close();
  });

  // MOD-VAR-http.server.root_filename, MOD-VAR-http.server.notfound_filename
  test('http.server.root_filename and http.server.notfound_filename name pages', async () => {
    const rig = await start({
      'http.server.root_filename': 'start.html',
      'http.server.notfound_filename': 'lost.html',
    });
    await rig.put('start.html', 'start');
    expect((await rig.call('GET', '/')).text).toBe('start');
    expect((await rig.call('GET', '/none')).text).toBe('Not found\r\n');
    await rig.put('lost.html', 'lost');
    const lost = await rig.call('GET', '/none');
    expect([lost.status, lost.text, lost.headers['content-type']]).toEqual([404, 'lost', 'text/html']);
    await rig.run('file_delete start.html');
    expect((await rig.call('GET', '/')).text).toBe('lost');
    await rig.close();
  });

  test('a port that is taken is reported in the log', async () => {
    const rig = await start({ 'http.server.enabled': 0 });
    unwrap(await rig.module.net.listen(80, () => {}));
    await rig.run('set http.server.enabled 1');
    rig.module.wlan.down('wlan');
    unwrap(await rig.module.wlan.ensureUp());
    expect(rig.logged().join('\n')).toMatch(/HTTP server not started: .+/);
    await rig.close();
  });
});

// MOD-VAR-http.server.tls_enabled, MOD-VAR-http.server.tls_cert, MOD-VAR-http.server.tls_key, MOD-VAR-http.server.tls_verify_peer
describe('HTTPS', async () => {
  const { ca, server, issue } = await testCertificates();
  const stranger = await testCertificates();
  const variables = {
    'http.server.tls_enabled': 1,
    'http.server.tls_cert': 'server.pem',
    'http.server.tls_key': 'server.key',
  };
  const files = {
    'server.pem': server.cert,
    'server.key': server.key,
    'clients.pem': ca,
    'other.key': stranger.server.key,
  };

  test('takes certificate and key from flash; the key is not served', async () => {
    const rig = await webRig({ wire: 'sockets', variables, files });
    expect(rig.logged()).toContain(`HTTPS and REST API server listening on port: ${rig.port}`);
    const answer = await exchange(await rig.dial({ ca }), 'GET', '/command/get%20wlan.ssid');
    expect(replies(answer.text)[0]?.response).toBe('harbour-open\r\n');
    expect((await exchange(await rig.dial({ ca }), 'GET', '/server.pem')).text).toBe(server.cert);
    expect((await exchange(await rig.dial({ ca }), 'GET', '/server.key')).status).toBe(404);
    await expect(rig.dial({ ca: stranger.ca })).rejects.toThrow();
    await rig.close();
  });

  test('lets only those in whose certificate an authority of network.ca_cert has signed', async () => {
    const rig = await webRig({
      wire: 'sockets',
      variables: { ...variables, 'http.server.tls_verify_peer': 1, 'network.ca_cert': 'clients.pem' },
      files,
    });
    const known = await issue('client', true);
    expect((await exchange(await rig.dial({ ca, ...known }), 'GET', '/command/ver')).status).toBe(200);
    const others = [{}, await stranger.issue('client', true)];
    for (const other of others) {
      const tried = rig.dial({ ca, ...other }).then((stream) => exchange(stream, 'GET', '/command/ver'));
      await expect(tried).rejects.toThrow();
    }
    // Reference: network 6.4.
    const notices = rig.logged().filter((text) => text.includes('TLS'));
    expect(notices).toEqual([
      'Starting TLS',
      'Error with TLS handshake: 5012',
      'Starting TLS',
      'Error with TLS handshake: 5035',
    ]);
    await rig.close();
  });

  // MOD-AUTH-1
  test('asks for a password as HTTP does', async () => {
    const rig = await webRig({
      wire: 'sockets',
      variables: { ...variables, 'http.server.username': 'ada', 'http.server.password': 'secret' },
      files,
    });
    expect((await exchange(await rig.dial({ ca }), 'GET', '/log')).status).toBe(401);
    const headers = { authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` };
    expect((await exchange(await rig.dial({ ca }), 'GET', '/log', { headers })).status).toBe(200);
    await rig.close();
  });

  test.each([
    ['certificate', { 'http.server.tls_cert': 'none.pem' }, 'no file "none.pem"'],
    ['key', { 'http.server.tls_key': '' }, 'no file ""'],
    ['authorities', { 'http.server.tls_verify_peer': 1, 'network.ca_cert': 'none.pem' }, 'no file "none.pem"'],
    ['a certificate that is one', { 'http.server.tls_cert': 'server.key' }, '"server.key" and "server.key" are not'],
    ['the key of the certificate', { 'http.server.tls_key': 'other.key' }, '"server.pem" and "other.key" are not'],
  ])('does not start without %s', async (_, changes, detail) => {
    const rig = await webRig({ wire: 'sockets', variables: { ...variables, ...changes }, files });
    expect(rig.logged().join('\n')).toContain(`HTTP server not started: ${detail}`);
    await expect(rig.dial()).rejects.toThrow();
    await rig.close();
  });

  test('says so when it serves files only', async () => {
    const rig = await webRig({ wire: 'sockets', variables: { ...variables, 'http.server.api_enabled': 0 }, files });
    expect(rig.logged()).toContain(`HTTPS server listening on port: ${rig.port}`);
    await rig.close();
  });
});

describe('web setup', () => {
  // MOD-VAR-setup.web.root_filename
  test('has the root page that its own variable names', async () => {
    const rig = await webRig({
      variables: { 'setup.web.root_filename': 'welcome.html', 'http.server.root_filename': 'other.html' },
      files: { 'welcome.html': 'welcome', 'other.html': 'other' },
    });
    expect((await rig.call('GET', '/')).text).toBe('other');
    await rig.run('setup web');
    await rig.clock.advance(0);
    await turns();
    expect((await rig.call('GET', '/')).text).toBe('welcome');
    await rig.close();
  });

  test('has a page of its own, no passwords and the API, whatever else is set', async () => {
    const rig = await webRig({
      variables: {
        'http.server.enabled': 0,
        'http.server.api_enabled': 0,
        'http.server.username': 'ada',
        'http.server.password': 'secret',
        'setup.web.idle_timeout': 60,
      },
    });
    await rig.run('setup web');
    await rig.clock.advance(0);
    await turns();
    const page = await rig.call('GET', '/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html']);
    expect((await rig.call('GET', '/command/setup%20status')).text).toContain('"response":"1\\r\\n"');
    // A client has opened the page: it does not end by itself.
    await rig.clock.advance(120_000);
    expect(rig.module.webSetup.active).toBe(true);
    await rig.put('/setup/index.html', 'ours');
    expect((await rig.call('GET', '/')).text).toBe('ours');
    await rig.run('setup stop');
    await turns();
    await expect(rig.call('GET', '/')).rejects.toThrow();
    await rig.close();
  });
});
