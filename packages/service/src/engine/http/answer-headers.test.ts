import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAnswerHeaders } from '../../testing/answer-headers.ts';
import { rawConnection, rawReply } from '../../testing/raw-http.ts';
import { buildSampleServer, type SampleServer } from '../../testing/sample-server.ts';
import { answerHeadersOf } from './answer-headers.ts';

let server: SampleServer;
beforeAll(async () => {
  server = await buildSampleServer();
  await server.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.app.close());

// API-RULE-headers-1
describe('every kind of answer is kept by no cache and taken for nothing else', () => {
  it.each([
    [200, 'GET', '/things'],
    [200, 'GET', '/things?format=csv'],
    [200, 'GET', '/things?format=jsonl'],
    [200, 'GET', '/record'],
    [200, 'GET', '/bytes'],
    [400, 'GET', '/things?limit=x'],
    [400, 'GET', '/things?limit=%00'],
    [400, 'GET', '/%ff'],
    [401, 'GET', '/own'],
    [404, 'GET', '/nowhere'],
    [405, 'PUT', '/things'],
    [405, 'QUERY', '/things'],
    [429, 'GET', '/refuses'],
    [500, 'GET', '/throws'],
  ] as const)('%i of %s %s', async (status, method, url) => {
    // Safe: a method that the framework knows as well, and its types do not.
    const reply = await server.app.inject({ method: method as 'GET', url });
    expect(reply.statusCode, reply.payload).toBe(status);
    expectAnswerHeaders(reply.headers);
  });

  it('what is no HTTP', async () => {
    // Safe: it listens on a port.
    const socket = await rawConnection((server.app.server.address() as AddressInfo).port);
    socket.write('no HTTP\r\n\r\n');
    const { status, text } = await rawReply(socket);
    expect(status).toBe(400);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const fields = head.split('\r\n').slice(1);
    expectAnswerHeaders(Object.fromEntries(fields.map((field) => field.split(': ', 2))));
    expect(JSON.parse(body).code).toBe('INVALID_REQUEST');
  });
});

// API-RULE-headers-2
describe('browsers are held to TLS', () => {
  const hold = (hasTls: boolean, headers: Readonly<Record<string, string>>) =>
    'strict-transport-security' in answerHeadersOf(hasTls)(headers);

  it.each(['hub.example', 'hub.example:8443', 'Hub', 'hub.local.', 'xn--mnchen-3ya.example', 'localhost.example'])(
    'where they have called the name %s',
    (host) => {
      expect(hold(true, { host })).toBe(true);
      expect(hold(true, { ':authority': host })).toBe(true);
      expect(hold(false, { host })).toBe(false);
    },
  );

  it.each([
    'localhost',
    'localhost:8443',
    'LOCALHOST.',
    'hub.localhost',
    '127.0.0.1',
    '192.0.2.7:8443',
    '[::1]:8443',
    '[2001:db8::7]',
    '',
  ])('but not at %j', (host) => {
    expect(hold(true, { host })).toBe(false);
    expect(hold(true, { ':authority': host })).toBe(false);
  });

  it('and not where they have called nothing', () => expect(hold(true, {})).toBe(false));
});
