import { closeSync, constants, openSync } from 'node:fs';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { ReadStream } from 'node:tty';
import { unwrap } from '@moorage/base';
import { attachSession } from '../src/bus/attach-session.ts';
import type { Module } from '../src/module.ts';
import { openSerial } from '../src/transports/open.ts';
import { openPty } from '../src/transports/pty.ts';
import type { WireName } from './transcript.ts';

/** A host's end of a serial line to a module. */
export interface Wire {
  readonly stream: Duplex;
  close(): Promise<void>;
}

/** Two duplex streams in memory; what goes into one comes out of the other. */
export function memoryPair(): [Duplex, Duplex] {
  const make = (other: () => Duplex): Duplex =>
    new Duplex({
      allowHalfOpen: true,
      read: () => {},
      write(chunk: Buffer, _encoding, done) {
        other().push(chunk);
        setImmediate(done);
      },
      final(done) {
        other().push(null);
        done();
      },
    });
  const near: Duplex = make(() => far);
  const far: Duplex = make(() => near);
  return [near, far];
}

async function memoryWire(module: Module): Promise<Wire> {
  const [host, board] = memoryPair();
  attachSession(module, 'serial', board);
  const close = async (): Promise<void> => {
    host.destroy();
    board.destroy();
  };
  return { stream: host, close };
}

async function tcpWire(module: Module): Promise<Wire> {
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', module));
  const number = Number(port.address?.split(':').at(-1));
  const socket = connect({ port: number, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  const close = async (): Promise<void> => {
    socket.destroy();
    await port.close();
  };
  return { stream: socket, close };
}

/** The other end of a pseudo-terminal, as a program opens it. */
export function openSlave(path: string): Duplex {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const stream = new ReadStream(fd);
  stream.on('close', () => {
    try {
      closeSync(fd);
    } catch {
      // The stream has closed it already.
    }
  });
  return stream;
}

async function ptyWire(module: Module): Promise<Wire> {
  const port = unwrap(await openPty(undefined));
  attachSession(module, 'serial', port.stream);
  const stream = openSlave(port.path);
  const close = async (): Promise<void> => {
    stream.destroy();
    await port.close();
  };
  return { stream, close };
}

export const openWire: Readonly<Record<WireName, (module: Module) => Promise<Wire>>> = {
  memory: memoryWire,
  tcp: tcpWire,
  pty: ptyWire,
};
