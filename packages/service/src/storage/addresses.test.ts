import { describe, expect, it } from 'vitest';
import { natsAddress, withoutPassword } from './addresses.ts';

it.each([
  ['postgres://m:s@h/d', 'postgres://m:***@h/d'],
  ['postgres://m:s:/@x@h/d', 'postgres://m:***@h/d'],
  ['postgres://:s@h/d?password=p&user=u', 'postgres://:***@h/d?password=***&user=u'],
  ['nats://token@h:1', 'nats://***@h:1'],
  ['tls://u:s/x@h', 'tls://***@h'],
  ['sqlite:a', 'sqlite:a'],
  ['postgres://h/d', 'postgres://h/d'],
])('an address is shown without its secret: %s', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});

describe('the address of NATS', () => {
  it.each(['nats://h', 'tls://h:4222/moorage', 'nats://a,b:4223,[::1]:4224/x', 'nats://u:p%40@h', 'nats://token@h'])(
    'may be %s',
    (text) => expect(natsAddress(text)).toEqual({ ok: true, value: text }),
  );

  it.each([
    'nats://wrong:1:2',
    'nats://h:0',
    'nats://h:65536',
    'nats://[::1',
    'nats://a,,b',
    'nats://u:p%x@h',
    'nats://',
  ])('may not be %s', (text) => expect(natsAddress(text).ok).toBe(false));
});
