import { describe, expect, it } from 'vitest';
import { databaseAddress, natsAddress, postgresAddress, withoutPassword } from './addresses.ts';

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

describe('the address of PostgreSQL', () => {
  it.each([
    ['postgres://m:s@h/d', ['postgres://m:s@h/d'], false],
    [
      'postgres://m:s@a:1,[::1]:2,c/d?target_session_attrs=read-write',
      ['postgres://m:s@a:1/d', 'postgres://m:s@[::1]:2/d', 'postgres://m:s@c/d'],
      true,
    ],
    [
      'postgresql://a,b/d?sslmode=require&target_session_attrs=primary&x=1',
      ['postgresql://a/d?sslmode=require&x=1', 'postgresql://b/d?sslmode=require&x=1'],
      true,
    ],
    ['postgres://a/d?target_session_attrs=any', ['postgres://a/d'], false],
    ['postgres://m:p@ss@h/d', ['postgres://m:p@ss@h/d'], false],
    ['postgres://m@/d?host=/run/postgresql', ['postgres://m@/d?host=/run/postgresql'], false],
    ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql'], false],
    ['postgres://%2Frun%2Fpostgresql/d', ['postgres://%2Frun%2Fpostgresql/d'], false],
  ])('names its servers: %s', (text, urls, isPrimaryWanted) => {
    expect(postgresAddress(text)).toEqual({ ok: true, value: { urls, isPrimaryWanted } });
    expect(databaseAddress(text)).toEqual({ ok: true, value: text });
  });

  it.each([
    'postgres://m:s@[::bad/x',
    'postgres://h:0/x',
    'postgres://h:1:2/x',
    'postgres://a,,b/x',
    'postgres://m:s#t@h/x',
    'postgres://h/x?target_session_attrs=standby',
    'postgres://',
  ])('may not be %s', (text) => expect(databaseAddress(text).ok).toBe(false));
});
