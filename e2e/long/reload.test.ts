import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { makeAuthority, makeServerCertificate } from '@moorage/service/core/certificates/certificates';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';

afterEach(killAll);

const authority = await makeAuthority(Date.now());
const make = () => makeServerCertificate(authority, ['localhost'], Date.now());

test.each(['SIGHUP', 'a change of the files'])(
  '%s shows another certificate and sets the level of the log, and connections stay',
  async (cause) => {
    const folder = await mkdtemp(join(tmpdir(), 'moorage-reload-'));
    const path = (name: string) => join(folder, name);
    const write = async ({ certificate, key }: Awaited<ReturnType<typeof make>>, level: string): Promise<void> => {
      await writeFile(path('tls.crt'), certificate);
      await writeFile(path('tls.key'), key);
      await writeFile(path('config'), JSON.stringify({ 'log-level': level }));
    };
    const [first, second] = [await make(), await make()];
    await write(first, 'error');
    const files = ['--tls-cert', path('tls.crt'), '--tls-key', path('tls.key'), '--config', path('config')];
    const ports = ['--port', '0', '--device-port', '0'];
    const service = moorage(['serve', '--data', path('data'), ...ports, ...files, '--json']);
    const { api } = await eventOf(service, 'ready');
    expect(api).toMatch(/^https:/);
    const dial = async (): Promise<TLSSocket> => {
      const to = { host: '127.0.0.1', port: Number(new URL(String(api)).port), servername: 'localhost' };
      const socket = connect({ ...to, ca: authority.certificate, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      return socket;
    };
    const shown = (socket: TLSSocket) => socket.getPeerX509Certificate()?.toString();
    const open = await dial();
    expect(shown(open)).toBe(first.certificate);

    await write(second, 'debug');
    if (cause === 'SIGHUP') service.process.kill('SIGHUP');
    expect(await eventOf(service, 'reloaded')).toMatchObject({ logLevel: 'debug' });
    const next = await dial();
    expect(shown(next)).toBe(second.certificate);
    open.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(String((await once(open, 'data'))[0])).toContain('200 OK');

    for (const socket of [open, next]) socket.destroy();
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await rm(folder, { recursive: true });
  },
);
