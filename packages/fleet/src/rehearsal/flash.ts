import type { Clock } from '@moorage/base';
import { MemoryStore, type SharedContents } from '@moorage/base/store/memory';
import { storeIdentity } from '@moorage/device/identity';
import { RecordKeeper } from '@moorage/device/record';
import { createModule, forgetIdentity, identityOf, type ModuleOptions } from '@moorage/module';
import { FlashFiles } from '@moorage/module/cloud/flash-files';
import type { Model } from '@moorage/module/model/model';
import type { Net } from '@moorage/net';
import type { FleetGroup } from '../scenario.ts';

/** A module that becomes a device and installs a bundle, so that others can begin where it ends. */
interface PatternParts {
  readonly service: NonNullable<ModuleOptions['service']>;
  readonly clock: Clock;
  readonly net: Net;
  readonly shared: SharedContents;
  readonly group: FleetGroup;
  readonly model: Model;
  readonly seed: string;
  /** Version of the published bundle that it installs. */
  readonly version: string;
  /** Makes it a device of the product, and returns its token. */
  readonly adopt: (uuid: string) => Promise<string>;
}

/**
 * As long as real ones, and the same each time: without TLS nobody reads them, but devices report how large their files
 * are and their check sums.
 */
export const identityTexts = { certificate: 'c'.repeat(720), key: 'k'.repeat(241), ca: 'a'.repeat(620) } as const;

async function keepToken(store: MemoryStore, token: string): Promise<void> {
  const keeper = new RecordKeeper(store);
  await keeper.load();
  await keeper.change({ token, acknowledged: true });
}

/** The flash of a device of a group that runs a version, filled as devices fill theirs: from the service. */
export async function patternOf(parts: PatternParts): Promise<MemoryStore> {
  const { adopt, clock, group, model, net, seed, service, shared, version } = parts;
  const store = new MemoryStore({ shared });
  await keepToken(store, await adopt(identityOf(seed, model).uuid.toLowerCase()));
  const { personality } = group;
  const module = await createModule({ clock, hostClock: clock, store, net, seed, model, personality, service });
  await storeIdentity(new FlashFiles(module.flash), identityTexts);
  await module.boot();
  const installed = await module.client.ota({ bundle: version });
  await module.close();
  if (!installed.ok) throw new Error(`Group "${group.name}" cannot install ${version}: ${installed.error.message}`);
  return store;
}

/** The flash of another device of the same make: it has its own token, and gets an identity of its own at its start. */
export async function copyOf(pattern: MemoryStore, token: string): Promise<MemoryStore> {
  const store = pattern.survivor();
  await forgetIdentity(store);
  await keepToken(store, token);
  return store;
}
