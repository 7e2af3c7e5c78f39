import { expect, it } from 'vitest';
import { hashNewPassword, verifyPassword } from './passwords.ts';

// API-RULE-password-1
it.each([
  ['short', {}, 'needs at least 12 characters, or 8 beside a second factor'],
  ['elevenchars', {}, 'needs at least 12 characters, or 8 beside a second factor'],
  ['seven77', { hasFactor: true }, 'needs at least 8 characters'],
  ['password', { hasFactor: true }, 'is one that many people choose'],
  ['Passw0rd', { hasFactor: true }, 'is one that many people choose'],
  ['Password1234', {}, 'is one that many people choose'],
  ['passwordpassword', {}, 'is one that many people choose'],
  ['!!sunshine2024', {}, 'is one that many people choose'],
  ['1234567890123', {}, 'is one that many people choose'],
  ['            ', {}, 'is one that many people choose'],
  ['ababababababab', {}, 'is one that many people choose'],
  ['tide.works-2026', { names: ['Tide.Works', 'x@y.example'] }, 'is made of your own name or address'],
  ['x.y@long.example', { names: ['other', 'x.y@long.example'] }, 'is made of your own name or address'],
])('a new password "%s" of %j %s', async (password, about, problem) => {
  expect(await hashNewPassword(password, about)).toMatchObject({
    ok: false,
    error: { code: 'WEAK_PASSWORD', message: `The password ${problem}`, validation: { keys: ['password'] } },
  });
});

it.each([
  ['correct horse', {}],
  ['tide gauge at berth 1', { names: ['tide', 'tide@example.com'] }],
  ['Zürich-Üetliberg', {}],
  ['k3vq8m2x', { hasFactor: true }],
  ['漢字漢字仮名仮名交じり文です', {}],
])('a new password "%s" is taken', async (password, about) => {
  const hashed = await hashNewPassword(password, about);
  expect(hashed.ok && (await verifyPassword(password, hashed.value))).toBe(true);
});
