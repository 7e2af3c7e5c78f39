import type { UserListQuery } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';

// API-EP-GET-users
eachDatabase('the list of accounts', (open) => {
  it('is for administrators, by role and part of a name or address, and shows no hash', async () => {
    const app = await buildApp(await open());
    const [admin, user] = [await app.make.admin(), await app.make.user()];
    await app.storage.db.updateTable('users').set({ organisation: 'Quay & Sons' }).where('id', '=', user.id).execute();
    const names = async (query: UserListQuery) =>
      unwrap(await app.client.as(admin.token).call('users.list', { query })).value.map(({ username }) => username);
    expect(await names({})).toEqual([admin.username, user.username].toSorted());
    expect(await names({ role: 'admin' })).toEqual([admin.username]);
    expect(await names({ q: 'QUAY &' })).toEqual([user.username]);
    expect(await names({ q: user.username.toUpperCase() })).toEqual([user.username]);
    expect(await names({ limit: 1, sort: '-created_at' })).toHaveLength(1);
    const [record] = unwrap(await app.client.as(admin.token).call('users.list')).value;
    expect(JSON.stringify(record)).not.toContain('hash');
    expect(outcome(await app.client.as(user.token).call('users.list'))).toBe('FORBIDDEN');
  });
});
