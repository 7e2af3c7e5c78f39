import { connect, createServer } from 'node:net';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { openSerial } from '@moorage/module/transports/open';
import { defaultAir } from '@moorage/module/wlan/air';
import { nodeNet } from '@moorage/net/node';

// Between two sockets: a module in stream mode, with large buffers or as it comes, or nothing but a pipe. Arguments:
// `large`, `defaults` or `pipe`, port of the far end.
const [kind, port] = [process.argv[2], Number(process.argv[3])];

async function bridgedModule(): Promise<number> {
  const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
  const module = await createModule({ clock: realClock, store: new MemoryStore(), net, seed: 1 });
  await module.boot();
  const run = async (line: string): Promise<void> => {
    const { code, text } = await module.execute(line);
    if (code !== 0) throw new Error(`${line}: ${text}`);
  };
  const open = defaultAir.accessPoints.find(({ security }) => security === 'open')?.ssid;
  const settings = [
    'bus.mode stream',
    // Few and large pieces: the most that the variable allows.
    ...(kind === 'large' ? ['bus.stream.flush_count 1460', 'network.buffer.size 70000'] : []),
    'ntp.enabled 0',
    'system.print_level 0',
    `wlan.ssid "${open}"`,
  ];
  for (const setting of settings) await run(`set ${setting}`);
  await run('save');
  await module.reboot();
  const serial = await openSerial('tcp:127.0.0.1:0', module);
  if (!serial.ok) throw new Error(serial.error);
  await run(`tcp_client 127.0.0.1 ${port}`);
  return Number(serial.value.address?.split(':').at(-1));
}

async function pipe(): Promise<number> {
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

console.log(JSON.stringify({ port: await (kind === 'pipe' ? pipe() : bridgedModule()) }));
