import { describe, expect, it } from 'vitest';
import { networksOf } from './client-address.ts';

// API-LIMIT-networks
describe('the networks of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0DB8:1:2::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['', '', ''],
  ])('of %s are %s and %s', (ip, address, network) => {
    expect(networksOf(ip)).toEqual({ address, network });
  });

  it('are apart for another /64, and for another /48', () => {
    const [one, near, far] = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1'].map(networksOf);
    expect([one?.address === near?.address, one?.network === near?.network]).toEqual([false, true]);
    expect(one?.network === far?.network).toBe(false);
  });
});
