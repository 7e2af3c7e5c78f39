import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTokenValue, tailOf } from '../../engine/secrets.ts';
import { cheapPasswords } from '../../testing/cheap-passwords.ts';
import { hashPassword, passwordCost, verifyPassword } from './passwords.ts';
import { newClientId, newPassword } from './token-records.ts';

describe('password hash', () => {
  // Those of a service, which the other tests do without.
  beforeAll(() => void Object.assign(passwordCost, { memory: 19_456, passes: 2 }));
  afterAll(() => void Object.assign(passwordCost, cheapPasswords));

  it('is argon2id at 19 MiB and two passes, different each time', async () => {
    const [one, two] = await Promise.all([hashPassword('secret'), hashPassword('secret')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword('secret', one)).toBe(true);
    expect(await verifyPassword('secret', two)).toBe(true);
  });

  it.each(['', 'Secret', 'secret ', 'secre'])('does not fit "%s"', async (password) => {
    expect(await verifyPassword(password, await hashPassword('secret'))).toBe(false);
  });

  it('of an unknown user matches nothing', async () => {
    expect(await verifyPassword('', undefined)).toBe(false);
  });

  it('with other costs is still checked', async () => {
    const cheap = '$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect(await verifyPassword('secret', cheap)).toBe(false);
  });

  it('of an unknown form is a mistake', async () => {
    await expect(verifyPassword('secret', '!')).rejects.toThrow('unknown form');
  });

  it('takes as long for an unknown user as for a known one', async () => {
    const stored = await hashPassword('secret');
    const time = async (hash: string | undefined): Promise<number> => {
      const start = process.hrtime.bigint();
      await verifyPassword('wrong', hash);
      return Number(process.hrtime.bigint() - start);
    };
    // In turns, and the shortest of each: what else the machine does makes some longer, none shorter.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 4; round++) {
      known = Math.min(known, await time(stored));
      unknown = Math.min(unknown, await time(undefined));
    }
    // Both compute a whole hash; without that the ratio would be in the hundreds.
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(5);
  });
});

describe('random values', () => {
  it('have their documented forms', () => {
    expect(Buffer.from(newTokenValue(), 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(newTokenValue()).toHaveLength(32);
    expect(newClientId()).toMatch(/^[0-9a-f]{32}$/);
    expect(newPassword()).toMatch(/^[A-Za-z0-9]{20}$/);
    expect(tailOf('abcdefgh')).toBe('efgh');
  });
});
