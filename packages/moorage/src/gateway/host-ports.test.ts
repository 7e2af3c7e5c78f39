import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { makeAuthority, makeServerCertificate } from '@moorage/service/core/certificates/certificates';
import { testStartMs } from '@moorage/service/testing/build-app';
import { expect, test } from 'vitest';
import { hostPorts } from './host-ports.ts';

test('a certificate that is not trusted is told with the option of this program, not with those of Node', async () => {
  const { certificate, key } = await makeServerCertificate(
    await makeAuthority(testStartMs),
    ['localhost'],
    testStartMs,
  );
  const server = createServer({ cert: certificate, key }).on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dialled = await hostPorts().net.dial({ host: '127.0.0.1', port, timeoutMs: 5_000, tls: {} });
  expect(dialled).toMatchObject({
    ok: false,
    error: { detail: 'unable to verify the first certificate: --ca names the authority of a module' },
  });
  server.close();
});
