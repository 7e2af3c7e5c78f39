// A module whose soft AP is up, on an address of the network namespace that it runs in: `node soft-ap-module.ts IP`.
// Says what the module says, one line at a time, until its standard input ends.
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { nodeNet } from '@moorage/net/node';
import { createModule } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';

const ip = process.argv[2] ?? '10.10.10.1';
// The client is on another host, and has no address yet.
const net = nodeNet({ ip, portOffset: 0, listenLan: true });
const module = await createModule({
  clock: realClock,
  store: new MemoryStore(),
  net,
  seed: 1,
  personality: offlinePersonality,
});
module.log.attach((line) => console.log(line));
await module.boot();
for (const line of ['set broadcast.interval 0', `set softap.static.ip ${ip}`, 'nup -i softap']) {
  console.log(`${line}: ${(await module.execute(line)).text}`);
}
process.stdin.resume();
process.stdin.once('end', () => void module.close().then(() => process.exit(0)));
