import { expect, test } from 'vitest';
import { deviceIn } from './device-code.ts';

const id = '3b241101-e2bb-4255-8caf-4136c566a962';
const uuid = '0641304100000000000000000000000000000ABC';

test.each([
  ['the page of a device', `https://fleet.example/devices/${id}`, id],
  ['the page at another name of the service', `http://127.0.0.1:8080/devices/${id}`, id],
  ['a tab of the page', `https://fleet.example/devices/${id}/streams?x=1`, id],
  ['an id', `${id}\n`, id],
  ['a hardware uuid', uuid, uuid],
  ['an address with colons', 'AA:BB:CC:DD:EE:FF', 'AA:BB:CC:DD:EE:FF'],
  ['an address with hyphens', 'aa-bb-cc-dd-ee-ff', 'aa-bb-cc-dd-ee-ff'],
  ['an address with dots', 'aabb.ccdd.eeff', 'aabb.ccdd.eeff'],
  ['an address of digits alone', 'AABBCCDDEEFF', 'AABBCCDDEEFF'],
  ['another page', 'https://fleet.example/products/1', undefined],
  ['the label sheet', 'https://fleet.example/devices/labels', undefined],
  ['an address too short', 'AA:BB:CC:DD:EE', undefined],
  ['a page of a script', `javascript:/devices/${id}`, undefined],
  ['some text', 'hello', undefined],
])('a code with %s', (_, text, name) => {
  expect(deviceIn(text)).toBe(name);
});
