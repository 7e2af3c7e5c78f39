import { isDeviceUuid, platformPartId, seededRandom } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { expect, test } from 'vitest';
import { forgetIdentity, hasIdentity, makeIdentity, readIdentity, saveIdentity } from './identity.ts';

const make = (seed: number) => makeIdentity(seededRandom(seed), '4d4f4f52');

test('equal seeds give equal identities, different seeds different ones', () => {
  expect(make(1)).toEqual(make(1));
  const macs = new Set(Array.from({ length: 1000 }, (_, seed) => make(seed).mac));
  expect(macs.size).toBe(1000);
});

test('the address is locally administered, the uuid begins with the part id', () => {
  for (let seed = 0; seed < 100; seed++) {
    const { mac, uuid } = make(seed);
    expect(mac).toMatch(/^[0-9A-F][26AE](:[0-9A-F]{2}){5}$/);
    expect(isDeviceUuid(uuid)).toBe(true);
    expect(platformPartId(uuid)).toBe('4d4f4f52');
    expect(uuid).toBe(uuid.toUpperCase());
  }
});

test('a store keeps the identity of its first boot', async () => {
  const store = new MemoryStore();
  const first = await readIdentity(store, () => make(1));
  expect(await readIdentity(store, () => make(2))).toEqual(first);
});

test('a store has the identity that it is given, until that is forgotten', async () => {
  const store = new MemoryStore();
  expect(await hasIdentity(store)).toBe(false);
  await saveIdentity(store, make(1));
  expect(await hasIdentity(store)).toBe(true);
  expect(await readIdentity(store, () => make(2))).toEqual(make(1));
  await forgetIdentity(store);
  expect(await readIdentity(store, () => make(2))).toEqual(make(2));
});

test.each([
  ['no address', { ...make(1), mac: '' }],
  ['no uuid', { ...make(1), uuid: '' }],
  ['small letters', { ...make(1), uuid: make(1).uuid.toLowerCase() }],
])('an identity with %s is not kept', async (_, identity) => {
  const store = new MemoryStore();
  await saveIdentity(store, identity);
  expect(await hasIdentity(store)).toBe(false);
});

test('a damaged identity is replaced', async () => {
  const store = new MemoryStore();
  const writer = await store.create('identity');
  await writer.append(Buffer.from('nonsense'));
  await writer.publish();
  expect(await readIdentity(store, () => make(2))).toEqual(make(2));
});
