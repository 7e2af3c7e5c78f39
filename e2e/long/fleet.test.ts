import { createModule } from '@moorage/module';
import { eachDatabase } from '@moorage/service/testing/index';
import { expect, test } from 'vitest';
import { type Boat, type SimulatedFleet, sail, simulatedFleet } from '../simulated-fleet.ts';

const fleetSize = 200;
const samplesEach = 12;
/** One run is like another; set the variable to try others. */
const seed = Number(process.env.FLEET_SEED ?? 1);
const weather = { lostConnections: 5, powerCuts: 1 } as const;

/** Samples that the service has of each device, by hardware uuid, as often as it has them. */
async function storedSamples({ service }: SimulatedFleet): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await service.running.deps.storage.db
    .selectFrom('samples')
    .innerJoin('streams', 'streams.id', 'samples.stream_id')
    .innerJoin('devices', 'devices.id', 'streams.device_id')
    .select(['devices.uuid', 'samples.number'])
    .execute();
  const found = new Map<string, number[]>();
  for (const { uuid, number } of rows) found.set(uuid, [...(found.get(uuid) ?? []), number ?? -1]);
  return found;
}

const bundleOf = async ({ service, token, bundle }: SimulatedFleet) => {
  const reply = await service.client(token).call('bundles.get', { params: { bundle_id: bundle.id } });
  if (!reply.ok) throw new Error(reply.error.body.message);
  return reply.value.value;
};

/** Boots what a module has kept, and looks at it. */
async function inspect({ clock, files, until }: SimulatedFleet, { store, net, index }: Boat, bversion: string) {
  const module = await until(createModule({ clock, store, net, seed: index }));
  await until(module.boot());
  const uuid = module.identity.uuid.toLowerCase();
  expect(module.client.installed()?.bversion, uuid).toBe(bversion);
  for (const { filename, content } of files) {
    const held = await module.flash.readAll(filename, content.length);
    expect(held.ok && content.equals(held.value), `${filename} of ${uuid}`).toBe(true);
  }
  await module.close();
  return uuid;
}

// API-RULE-ota-9, API-DATA-once
eachDatabase('a fleet in bad weather', (open) => {
  test(`of ${fleetSize} modules ends at the tagged bundle, with every sample once (seed ${seed})`, async () => {
    const fleet = await simulatedFleet(await open(), fleetSize, seed, weather);
    const { boats, service, until } = fleet;
    const { bversion } = await bundleOf(fleet);
    let landed = 0;
    const voyages = boats.map(async (boat) => {
      await sail(fleet, boat, bversion, samplesEach);
      landed++;
      // In the middle of it the service breaks off, and comes back.
      if (landed === fleetSize / 4) {
        await service.crash();
        await service.start();
      }
    });
    await until(Promise.all(voyages));

    expect(await bundleOf(fleet)).toMatchObject({ device_count: fleetSize, device_count_bundle_ok: fleetSize });
    const stored = await storedSamples(fleet);
    for (const boat of boats) {
      const uuid = await inspect(fleet, boat, bversion);
      const arrived = [...(stored.get(uuid) ?? [])].sort((a, b) => a - b);
      expect(arrived, `${uuid} has samples twice`).toEqual([...new Set(arrived)]);
      expect(arrived, `${uuid} misses samples`).toEqual(expect.arrayContaining(boat.taken));
    }
    // The weather was as bad as announced.
    const cuts = boats.reduce((sum, boat) => sum + boat.cuts, 0);
    expect(cuts).toBeGreaterThan(fleetSize / 4);
    await service.running.close();
  });
});
