import { realClock, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { openSerial } from '@moorage/module/transports/open';
import { MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { SerialPort } from 'serialport';
import { expect, test } from 'vitest';
import { openDriver } from '../driver/open.ts';
import { listFiles } from '../module/files.ts';
import { openDeviceFile } from './device-file.ts';

test('a port whose stream is destroyed is closed', async () => {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
  const serial = unwrap(await openSerial('pty', module));
  const stream = unwrap(await openDeviceFile(serial.address ?? '', 115_200));
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy();
  await closed;
  expect(stream instanceof SerialPort && stream.isOpen).toBe(false);
  await serial.close();
});

test.each(['pty', 'tcp:127.0.0.1:0', 'rfc2217:127.0.0.1:0'])(
  'a module is reached over %s of the host',
  async (serial) => {
    const clock = new VirtualClock();
    const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
    const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
    await module.boot();
    const port = unwrap(await openSerial(serial, module));
    const gatewayNet = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
    // Bytes on real lines take real time.
    const ports = { net: gatewayNet, clock: realClock, serial: openDeviceFile };
    const driver = unwrap(await openDriver(ports, port.address ?? ''));
    expect(unwrap(await listFiles(driver)).map(({ name }) => name)).toContain('wifi_fw.bin');
    await driver.close();
    await port.close();
  },
);
