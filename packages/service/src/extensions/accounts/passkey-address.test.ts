import { expect, it } from 'vitest';
import { pagesAt, passkeyAddress } from './webauthn.ts';

const none = { publicUrl: undefined };

it.each([
  [none, { host: 'Hub.Example' }, true, 'https://hub.example'],
  [none, { host: 'hub.example:8443' }, true, 'https://hub.example:8443'],
  [none, { ':authority': 'hub.example' }, true, 'https://hub.example'],
  [none, { host: 'localhost:8080' }, false, 'http://localhost:8080'],
  [none, { host: 'evil.example/@hub' }, true, 'https://'],
  [none, {}, false, 'http://'],
  [{ publicUrl: 'https://hub.example' }, { host: 'evil.example' }, false, 'https://hub.example'],
])('the pages are, with %j and %j (TLS %j), at %s', (settings, headers, isEncrypted, origin) => {
  expect(pagesAt(settings, { headers, isEncrypted })).toBe(origin);
});

it.each([
  ['https://hub.example', 'hub.example'],
  ['https://hub.example:8443', 'hub.example'],
  ['https://hub', 'hub'],
  ['http://localhost:8080', 'localhost'],
  ['http://hub.localhost', 'hub.localhost'],
  ['https://7up.example', '7up.example'],
])('%s has passkeys of %s', (origin, rpId) => {
  expect(passkeyAddress(origin)).toEqual({ origin, rpId });
});

it.each([
  'http://hub.example',
  'https://192.0.2.7',
  'https://0xc0.2.7',
  'http://127.0.0.1:8080',
  'https://[2001:db8::7]',
  'http://[::1]:8080',
  'http://nolocalhost',
  'https://',
])('%s has none', (origin) => {
  expect(passkeyAddress(origin)).toBeUndefined();
});
