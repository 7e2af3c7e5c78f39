// A module on an address of the network namespace that it runs in: `node namespace-module.ts IP`. Runs the lines of its
// standard input as commands, one after the other, and ends with it. Prints a JSON text for each log line and reply.
import { createInterface } from 'node:readline';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { nodeNet } from '@moorage/net/node';
import { createModule } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';

const ip = process.argv[2] ?? '10.10.10.1';
// Its peers are on other hosts, and need not have an address yet.
const net = nodeNet({ ip, portOffset: 0, listenLan: true });
const module = await createModule({
  clock: realClock,
  store: new MemoryStore(),
  net,
  seed: 1,
  personality: offlinePersonality,
});
const print = (said: { readonly log: string } | { readonly reply: string }): void => console.log(JSON.stringify(said));
module.log.attach((log) => print({ log }));
await module.boot();
for await (const line of createInterface({ input: process.stdin })) {
  const { code, text } = await module.execute(line);
  print({ reply: `${code} ${text}` });
}
await module.close();
process.exit(0);
