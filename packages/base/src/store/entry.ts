import type { Store } from './store.ts';

/** Writes one name of a store whole; resolves when it is durable. The store may keep the bytes: do not change them. */
export async function writeEntry(store: Store, name: string, bytes: Uint8Array): Promise<void> {
  const writer = await store.create(name);
  try {
    await writer.append(bytes);
  } catch (cause) {
    await writer.discard();
    throw cause;
  }
  await writer.publish();
}
