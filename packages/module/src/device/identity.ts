import { type Random, type Store, writeEntry } from '@moorage/base';

/** What is burnt into the hardware. */
export interface Identity {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** 40 upper-case hex digits. */
  readonly uuid: string;
}

const storeName = 'identity';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

/**
 * The identity that a random source gives: equal sources make equal modules. The uuid begins with the part id of the
 * board, by which the service finds the platform.
 */
export function makeIdentity(random: Random, partId: string): Identity {
  const [first = 0, ...others] = random.bytes(6);
  // Locally administered, not a group address: it can never be that of real hardware.
  const mac = Uint8Array.of((first & 0xfc) | 0x02, ...others);
  return {
    mac: hex(mac).match(/../g)?.join(':') ?? '',
    uuid: `${partId.toUpperCase()}${hex(random.bytes(16))}`,
  };
}

/**
 * The identity that a store has had from its first boot on; a blank store gets the one that `make` gives. So a module
 * stays itself, whatever seed it is started with later.
 */
export async function readIdentity(store: Store, make: () => Identity): Promise<Identity> {
  const saved = await store.read(storeName);
  const match = saved && /^([0-9A-F:]{17}) ([0-9A-F]{40})\n$/.exec(Buffer.from(saved).toString());
  if (match?.[1] && match[2]) return { mac: match[1], uuid: match[2] };
  const identity = make();
  await writeEntry(store, storeName, Buffer.from(`${identity.mac} ${identity.uuid}\n`));
  return identity;
}
