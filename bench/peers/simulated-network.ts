import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { MemoryNetwork } from '@moorage/net/memory';

// Joined modules on networks in memory, set as those of a fleet are, and a virtual hour of them. Argument: how many.
const count = Number(process.argv[2]);
const clock = new VirtualClock();
const kept: unknown[] = [];
const startMs = performance.now();
for (let number = 0; number < count; number++) {
  // Each at a place of its own, as the modules of a fleet are.
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: number });
  await module.boot();
  for (const setting of ['ntp.enabled 0', 'broadcast.interval 0', 'wlan.ssid harbour-open'])
    await module.execute(`set ${setting}`);
  const joined = module.wlan.ensureUp();
  await clock.advance(1_000);
  if (!(await joined).ok) throw new Error(`Module ${number} has not joined`);
  kept.push(module);
}
const startedMs = performance.now();
await clock.advance(60 * 60 * 1_000);
const bytes = process.resourceUsage().maxRSS * 1024;
const seconds = { start: (startedMs - startMs) / 1000, hour: (performance.now() - startedMs) / 1000 };
console.log(JSON.stringify({ bytes, kept: kept.length, ...seconds }));
setInterval(() => kept.length, 60_000);
