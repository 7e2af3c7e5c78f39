import { connect, type Socket } from 'node:net';
import { unwrap } from '@moorage/base';
import { afterEach, describe, expect, test } from 'vitest';
import { type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

/** How often each client comes back. */
const tries = 200;

async function terminal(...settings: readonly string[]): Promise<void> {
  rig = await socketRig('sockets');
  for (const setting of ['remote_terminal.enabled 1', ...settings]) await rig.run(`set ${setting}`);
  await rig.run('network_restart');
  unwrap(await rig.until(rig.module.wlan.ensureUp()));
}

const open = (): Socket => connect({ host: rig.moduleIp, port: 2000, allowHalfOpen: true });

/** The first bytes that the module sends. */
const greeting = (socket: Socket): Promise<string> =>
  rig.until(
    new Promise((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
      socket.on('error', () => {});
    }),
  );

/** The FIN is under way when the promise resolves. */
const ended = (socket: Socket, last = ''): Promise<void> => new Promise((resolve) => socket.end(last, resolve));

const leaves: readonly { readonly way: string; readonly leave: (socket: Socket) => unknown }[] = [
  { way: 'FIN', leave: (socket) => ended(socket) },
  { way: 'FIN behind a command', leave: (socket) => ended(socket, 'get bus.mode\r\n') },
  { way: 'RST', leave: (socket) => socket.resetAndDestroy() },
  { way: 'destroy', leave: (socket) => socket.destroy() },
];

// MOD-NET-terminal-one
describe.each(leaves)('a client that leaves by $way and comes back at once', ({ leave }) => {
  test.each([
    { to: 'a prompt', setting: 'remote_terminal.timeout 300', greets: '> ' },
    { to: 'the password', setting: 'remote_terminal.password x', greets: 'Password: ' },
  ])('is let in each time, to $to', async ({ setting, greets }) => {
    await terminal(setting);
    const received = new Set<string>();
    for (let count = 0; count < tries; count++) {
      const socket = open();
      received.add(await greeting(socket));
      await leave(socket);
    }
    expect([...received]).toEqual([greets]);
  });
});
