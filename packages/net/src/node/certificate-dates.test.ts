import { unwrap } from '@moorage/base';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { testCertificates } from '../testing/certificates.ts';
import { loopback, opened, textOf, timeoutMs } from '../testing/nets.ts';
import { nodeNet } from './index.ts';

const open = opened();
const net = nodeNet(loopback);
const expired = new Date(Date.UTC(2001, 0, 1));
/** A moment at which a certificate that has expired was good. */
const nowMs = () => Date.UTC(2000, 0, 1);

/** What a client says of a server with a certificate, by another clock. */
async function judged(server: { readonly cert: string; readonly key: string }, ca: string, serverName = 'localhost') {
  const listener = unwrap(await net.listen(0, ({ stream }) => stream.on('error', () => {}), { tls: server }));
  open.push(listener);
  const dialled = await net.dial({ host: '127.0.0.1', port: listener.port, timeoutMs, tls: { ca, serverName, nowMs } });
  if (dialled.ok) dialled.value.stream.destroy();
  return dialled.ok ? undefined : dialled.error.code;
}

const authority = async (options: object = {}, extensions: object[] = []) => {
  const made = await generate([{ name: 'commonName', value: 'dates' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(0),
    notAfterDate: expired,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
      ...extensions,
    ],
    ...options,
  } as Parameters<typeof generate>[1]);
  return { cert: made.cert, key: made.private };
};

const signed = async (ca: { cert: string; key: string }, options: object = {}, extensions: object[] = []) => {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(0),
    notAfterDate: expired,
    ca,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }, ...extensions],
    ...options,
  } as Parameters<typeof generate>[1]);
  return { cert: made.cert, key: made.private };
};

describe('a certificate that has expired by the clock of this computer, and is good by the one that counts', () => {
  test('is accepted where nothing else is wrong', async () => {
    const ca = await authority();
    expect(await judged(await signed(ca), ca.cert)).toBeUndefined();
  });

  test('is refused where another authority has signed it', async () => {
    const [ca, other] = [await authority(), await authority()];
    expect(await judged(await signed(other), ca.cert)).toBeDefined();
  });

  test('is refused under another name', async () => {
    const ca = await authority();
    expect(await judged(await signed(ca), ca.cert, 'elsewhere.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('is refused where it is that of a client', async () => {
    const ca = await authority();
    expect(await judged(await signed(ca, {}, [{ name: 'extKeyUsage', clientAuth: true }]), ca.cert)).toBeDefined();
  });

  test('is refused behind an authority between: how long a chain may be is not judged here', async () => {
    const ca = await authority();
    const between = await signed(ca, {}, [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ]);
    const leaf = await signed(between);
    expect(await judged({ ...leaf, cert: `${leaf.cert}\n${between.cert}` }, ca.cert)).toBeDefined();
  });
});

describe('a server that asks for certificates, by another clock', () => {
  /** What a client is told, and why the server has refused it. */
  async function served(withCertificate: boolean) {
    const ca = await authority();
    const server = await testCertificates();
    const refusals: (string | undefined)[] = [];
    const listening = await net.listen(0, ({ stream }) => void stream.on('error', () => {}).end('hello'), {
      tls: { ...server.server, clientCa: ca.cert, nowMs },
      refused: ({ code }) => refusals.push(code),
    });
    const { port } = unwrap(listening);
    open.push(unwrap(listening));
    const tls = {
      ca: server.ca,
      ...(withCertificate && (await signed(ca, {}, [{ name: 'extKeyUsage', clientAuth: true }]))),
    };
    const dialled = await net.dial({ host: 'localhost', port, timeoutMs, tls });
    const said = dialled.ok ? await textOf(dialled.value.stream).catch(() => '') : '';
    if (dialled.ok) dialled.value.stream.destroy();
    return { said, refusals };
  }

  test('lets one in that was good then', async () => {
    expect(await served(true)).toEqual({ said: 'hello', refusals: [] });
  });

  test('refuses a client without one', async () => {
    const { said, refusals } = await served(false);
    expect(said).toBe('');
    expect(refusals).toEqual(['peer did not return a certificate']);
  });
});
