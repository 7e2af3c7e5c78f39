import { type Random, type Store, writeEntry } from '@moorage/base';

/** What is burnt into the hardware. */
export interface Identity {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** 40 upper-case hex digits. */
  readonly uuid: string;
}

const storeName = 'identity';
const savedForm = /^([0-9A-F:]{17}) ([0-9A-F]{40})\n$/;

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
  const match = saved && savedForm.exec(Buffer.from(saved).toString());
  if (match?.[1] && match[2]) return { mac: match[1], uuid: match[2] };
  const identity = make();
  await saveIdentity(store, identity);
  return identity;
}

/** Whether a module has booted with a store, or `saveIdentity` has prepared it for one. */
export const hasIdentity = async (store: Store): Promise<boolean> => (await store.read(storeName, 0, 1)) !== undefined;

/** Gives a store an identity. One that no module can have is not kept: the first boot makes another. */
export async function saveIdentity(store: Store, { mac, uuid }: Identity): Promise<void> {
  const text = `${mac} ${uuid}\n`;
  if (savedForm.test(text)) await writeEntry(store, storeName, Buffer.from(text));
}

/** Makes a store one whose next boot is a new module's. */
export const forgetIdentity = (store: Store): Promise<void> => store.remove(storeName);
