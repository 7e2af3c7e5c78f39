import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';
import { statusOf } from './errors.ts';
import { buildServer } from './server.ts';

const server = (trustProxy: readonly string[]) => {
  const app = buildServer({ statusOf, logLevel: 'silent', endpoints: [], trustProxy });
  app.get('/', (request) => ({ ip: clientAddress(request), scheme: request.protocol }));
  return async (remoteAddress: string, headers: Record<string, string>) =>
    (await app.inject({ url: '/', remoteAddress, headers })).json();
};

describe('behind a proxy', () => {
  const from = server(['10.0.0.0/8', '::1/128']);

  it.each([
    // As the proxy saw it, whatever the client had written before.
    ['10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['10.0.0.1', '6.6.6.6, 192.0.2.7', '192.0.2.7'],
    // Over a second one that is trusted too.
    ['10.0.0.1', '6.6.6.6, 192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['::ffff:10.0.0.1', '2001:db8::7', '2001:db8::7'],
    ['::1', '192.0.2.7', '192.0.2.7'],
    // What is no address counts for nothing.
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '<script>', '10.0.0.1'],
    // Peers that are no proxy of ours.
    ['192.0.2.1', '6.6.6.6', '192.0.2.1'],
    ['11.0.0.1', '10.0.0.1', '11.0.0.1'],
  ])('a request from %s for "%s" is from %s', async (peer, forwarded, ip) => {
    expect((await from(peer, { 'x-forwarded-for': forwarded })).ip).toBe(ip);
  });

  it('the scheme is the client’s when a trusted proxy says so', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    expect((await from('10.0.0.1', headers)).scheme).toBe('https');
    expect((await from('192.0.2.1', headers)).scheme).toBe('http');
  });
});

it('without a trusted proxy no header says who the client is', async () => {
  const headers = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' };
  expect(await server([])('127.0.0.1', headers)).toEqual({ ip: '127.0.0.1', scheme: 'http' });
});
