import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';
import { realClock, unwrap } from '@moorage/base';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeServerCertificate } from '../../core/certificates/certificates.ts';
import { openOutbound } from './outbound.ts';
import type { HttpMessage, MqttMessage } from './ports.ts';

const loopback = openOutbound(['127.0.0.0/8', '::1/128'], realClock);
const strict = openOutbound([], realClock);

/** Certificates of one authority: for this machine, and for another name. */
async function certificates() {
  const authority = await makeAuthority(Date.now());
  const [ours, others] = await Promise.all([
    makeServerCertificate(authority, ['localhost', '127.0.0.1'], Date.now()),
    makeServerCertificate(authority, ['other.example'], Date.now()),
  ]);
  return { ca: authority.certificate, ours, others };
}

/** Does something while the machine trusts one authority more. */
async function trusting<T>(ca: string, work: () => Promise<T>): Promise<T> {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, ca]);
  try {
    return await work();
  } finally {
    tls.setDefaultCACertificates(before);
  }
}

const listening = async (server: net.Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe: a TCP server has a TCP address.
  return (server.address() as AddressInfo).port;
};

describe('HTTPS to the outside', () => {
  let made: Awaited<ReturnType<typeof certificates>>;
  const servers: https.Server[] = [];
  let port = 0;
  let otherPort = 0;
  beforeAll(async () => {
    made = await certificates();
    for (const { certificate: cert, key } of [made.ours, made.others]) {
      servers.push(
        https.createServer({ cert, key }, (request, response) => {
          let body = '';
          request.setEncoding('utf8').on('data', (text) => {
            body += text;
          });
          request.on('end', () => response.end(JSON.stringify({ body, signed: request.headers['x-signature'] })));
        }),
      );
    }
    [port = 0, otherPort = 0] = await Promise.all(servers.map(listening));
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  const message = (to = `localhost:${port}`): HttpMessage => ({
    url: `https://${to}/hook`,
    method: 'POST',
    headers: { 'X-Signature': 'sha256=00' },
    body: '{"ä":1}',
    timeoutMs: 5_000,
  });

  it.each(['localhost', '127.0.0.1'])('brings body and headers to %s', async (host) => {
    const answer = await trusting(made.ca, () => loopback.sendHttp(message(`${host}:${port}`)));
    expect(answer).toMatchObject({ ok: true, value: { status: 200 } });
    expect(answer.ok && JSON.parse(answer.value.body)).toEqual({ body: '{"ä":1}', signed: 'sha256=00' });
  });

  it('sends nothing to a server without a trusted certificate, or that has another name', async () => {
    const stranger = await loopback.sendHttp(message());
    expect(stranger).toMatchObject({
      ok: false,
      error: { kind: 'failed', detail: expect.stringMatching(/CERT|VERIFY/) },
    });
    const other = await trusting(made.ca, () => loopback.sendHttp(message(`localhost:${otherPort}`)));
    expect(other).toEqual({ ok: false, error: { kind: 'failed', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('ends when the server does not speak TLS, or says nothing', async () => {
    const mute = net.createServer(() => {});
    const silent = await loopback.sendHttp({ ...message(`127.0.0.1:${await listening(mute)}`), timeoutMs: 50 });
    expect(silent).toEqual({ ok: false, error: { kind: 'timed_out' } });
    mute.close();
    const plain = http.createServer((_, response) => response.end('{}'));
    const answer = await loopback.sendHttp(message(`127.0.0.1:${await listening(plain)}`));
    expect(answer).toMatchObject({ ok: false, error: { kind: 'failed' } });
    plain.close();
  });

  it('reaches nothing inside our network, by address or by name', async () => {
    const [byAddress, byName] = [await strict.sendHttp(message(`127.0.0.1:${port}`)), await strict.sendHttp(message())];
    expect(byAddress).toEqual({ ok: false, error: { kind: 'not_allowed', host: '127.0.0.1' } });
    expect(byName).toEqual({ ok: false, error: { kind: 'not_allowed', host: 'localhost' } });
  });
});

describe('MQTT over TLS to the outside', () => {
  let made: Awaited<ReturnType<typeof certificates>>;
  let broker: Aedes;
  const servers: tls.Server[] = [];
  const published: string[] = [];
  let port = 0;
  let otherPort = 0;
  beforeAll(async () => {
    made = await certificates();
    broker = await Aedes.createBroker();
    broker.on('publish', ({ payload }, client) => {
      if (client) published.push(payload.toString());
    });
    for (const { certificate: cert, key } of [made.ours, made.others]) {
      servers.push(tls.createServer({ cert, key }, broker.handle));
    }
    [port = 0, otherPort = 0] = await Promise.all(servers.map(listening));
  });
  afterAll(async () => {
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    for (const server of servers) server.close();
  });

  const message = (more: Partial<MqttMessage> = {}): MqttMessage => ({
    url: `mqtts://localhost:${port}`,
    topic: 'a/b',
    payload: '{"over":"tls"}',
    qos: 1,
    timeoutMs: 5_000,
    ...more,
  });

  it('is taken by a broker whose authority the connector names, by name and by address', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      const payload = `{"to":"${host}"}`;
      unwrap(await loopback.publish(message({ url: `mqtts://${host}:${port}`, payload, ca: made.ca })));
      await expect.poll(() => published.at(-1)).toBe(payload);
    }
  });

  it('is taken by a broker whom the machine trusts', async () => {
    unwrap(await trusting(made.ca, () => loopback.publish(message({ payload: '"trusted"' }))));
    await expect.poll(() => published.at(-1)).toBe('"trusted"');
  });

  it('sends nothing to a broker without a trusted certificate, or that has another name', async () => {
    const before = published.length;
    expect(await loopback.publish(message())).toMatchObject({ ok: false, error: { kind: 'failed' } });
    const other = await loopback.publish(message({ url: `mqtts://localhost:${otherPort}`, ca: made.ca }));
    expect(other).toMatchObject({ ok: false, error: { detail: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
    expect(published.length).toBe(before);
  });

  it('reaches nothing inside our network, by address or by name', async () => {
    const byName = await strict.publish(message({ ca: made.ca }));
    expect(byName).toEqual({ ok: false, error: { kind: 'not_allowed', host: 'localhost' } });
    const byAddress = await strict.publish(message({ url: `mqtts://127.0.0.1:${port}`, ca: made.ca }));
    expect(byAddress).toEqual({ ok: false, error: { kind: 'not_allowed', host: '127.0.0.1' } });
  });
});
