import { connect, createServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { failureOf } from './node/errors.ts';
import { testCertificates } from './testing/certificates.ts';
import { tlsErrorNumber } from './tls-facts.ts';

describe('the number of a TLS failure', () => {
  test.each([
    ['certificate has expired', 'CERT_HAS_EXPIRED', 5036],
    ['self-signed certificate; if the root CA is installed locally, …', 'DEPTH_ZERO_SELF_SIGNED_CERT', 5035],
    ['self-signed certificate', '', 5035],
    ["Hostname/IP does not match certificate's altnames: …", 'ERR_TLS_CERT_ALTNAME_INVALID', 5037],
    ['…ssl3_read_bytes:ssl/tls alert bad certificate:…', 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 5018],
    ['…:tlsv1 unrecognized name:…SSL alert number 112', 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 5018],
    ['…:peer did not return a certificate:…', 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', 5012],
    ['something new', 'ERR_SSL_SOMETHING', 5032],
  ])('%s (%s) is %i', (detail, code, number) => {
    expect(tlsErrorNumber({ error: 'tls', detail, ...(code !== '' && { code }) })).toBe(number);
  });

  test('a peer that says nothing and one that goes have numbers of their own', () => {
    expect(tlsErrorNumber({ error: 'timeout', detail: 'No answer in 5 ms' })).toBe(5031);
    expect(tlsErrorNumber({ error: 'reset', detail: 'The connection was closed while it opened' })).toBe(5001);
  });

  /** What the two sides of a handshake that fails say. */
  async function handshake(server: object, client: object): Promise<readonly [number, number]> {
    const listener = createServer(server);
    const port = await new Promise<number>((resolve) => {
      listener.listen(0, '127.0.0.1', () => {
        const address = listener.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
    const far = new Promise<number>((resolve) => {
      listener.once('tlsClientError', (error) => resolve(tlsErrorNumber(failureOf(error, 'tls'))));
    });
    const near = new Promise<number>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ...client });
      socket.once('error', (error) => resolve(tlsErrorNumber(failureOf(error, 'tls'))));
    });
    const both = await Promise.all([near, far]);
    listener.close();
    return both;
  }

  test('is that of both sides when nothing of a handshake fits', async () => {
    const mine = await testCertificates();
    const versions = await handshake({ ...mine.server, minVersion: 'TLSv1.3' }, { ca: mine.ca, maxVersion: 'TLSv1.2' });
    // The server says why it does not want to, and the client reads that.
    expect(versions).toEqual([5018, 5022]);
    const ciphers = await handshake(
      { ...mine.server, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
      { ca: mine.ca, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
    );
    expect(ciphers).toEqual([5018, 5010]);
  });

  test('is another where a client has no certificate', async () => {
    const mine = await testCertificates();
    const [near, far] = await handshake(
      { ...mine.server, ca: mine.ca, requestCert: true, rejectUnauthorized: true },
      { ca: mine.ca },
    );
    expect([near, far]).toEqual([5018, 5012]);
  });
});
