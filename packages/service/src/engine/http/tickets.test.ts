import { connect, type TLSSocket } from 'node:tls';
import { unwrap } from '@moorage/base';
import { afterEach, expect, it } from 'vitest';
import { rotateAuthority } from '../../core/certificates/authorities.ts';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import { tlsDevices } from '../../testing/tls-devices.ts';

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Two nodes on one database, and a device that both know. */
async function nodes() {
  const storage = await openRecords('sqlite::memory:');
  const apps: [TestApp, TestApp] = [await buildApp(storage), await buildApp(storage)];
  const one = await tlsDevices(apps[0]);
  const two = await tlsDevices(apps[1], one.platform);
  closing.push(async () => {
    for (const each of [one, two]) each.close();
    for (const app of apps) await app.service.close();
    await storage.close();
  });
  const { issued, row } = await one.deviceOf();

  /** One request over a connection of its own, with the ticket of another one. */
  async function info(port: number, maxVersion: 'TLSv1.2' | 'TLSv1.3', session?: Buffer) {
    let ticket: Buffer | undefined;
    let resumed: boolean | undefined;
    const socket: TLSSocket = connect({
      port,
      host: '127.0.0.1',
      ca: apps[0].service.identity.ca,
      cert: issued.certificate,
      key: issued.key,
      maxVersion,
      session,
    });
    socket.once('secureConnect', () => {
      resumed = socket.isSessionReused();
    });
    socket.on('session', (made: Buffer) => {
      ticket = made;
    });
    socket.write(`GET /info HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    let text = '';
    for await (const part of socket) text += part;
    return {
      resumed,
      status: Number(text.split(' ')[1]),
      uuid: text.includes(row.uuid),
      ticket,
    };
  }
  return { apps, ports: [one.port, two.port] as const, info };
}

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a ticket of one node is good at another, which knows the device by it (%s)',
  async (version) => {
    const { ports, info } = await nodes();
    const first = await info(ports[0], version);
    expect(first).toMatchObject({ resumed: false, status: 200, uuid: true });
    expect(await info(ports[1], version, first.ticket)).toMatchObject({ resumed: true, status: 200, uuid: true });
  },
);

it('tickets of before are good no longer when the trusted authorities are others', async () => {
  const { apps, ports, info } = await nodes();
  const old = await info(ports[0], 'TLSv1.3');
  unwrap(await rotateAuthority(apps[0].service.deps));
  for (const { service } of apps) await service.identity.refresh();
  expect(await info(ports[1], 'TLSv1.3', old.ticket)).toMatchObject({ resumed: false, status: 200 });
});

it('a device that is disabled comes in with no ticket', async () => {
  const { apps, ports, info } = await nodes();
  const { ticket } = await info(ports[0], 'TLSv1.3');
  await apps[0].storage.db.updateTable('devices').set({ state: 'disabled' }).execute();
  expect(await info(ports[1], 'TLSv1.3', ticket)).toMatchObject({ resumed: true, status: 403 });
});
