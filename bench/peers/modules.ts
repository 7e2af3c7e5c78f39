import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { defaultModel } from '@moorage/module/model/model';
import { openSerial } from '@moorage/module/transports/open';
import { nodeNet } from '@moorage/net/node';

// Modules in one process, each with a serial port on TCP and flash for files of a few MiB. The argument says how many.
const flash = { areaBytes: { i: 768 * 1024, e: 4 * 1024 * 1024, b: 0 }, maxFilesPerArea: 100 };
const model = { ...defaultModel, flash };
const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
const ports: number[] = [];
for (let seed = 0; seed < Number(process.argv[2]); seed++) {
  const module = await createModule({ clock: realClock, store: new MemoryStore(), net, seed, model });
  await module.boot();
  const serial = await openSerial('tcp:127.0.0.1:0', module);
  if (!serial.ok) throw new Error(serial.error);
  ports.push(Number(serial.value.address?.split(':').at(-1)));
}
console.log(JSON.stringify({ ports }));
