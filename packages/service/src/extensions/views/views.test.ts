import { viewsLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';

// API-RULE-views-1
eachDatabase('saved views', (open) => {
  const scene = async () => {
    const app = await buildApp(await open());
    const [user, other] = [await app.make.user(), await app.make.user()];
    const save = (title: string, page = 'devices') =>
      app.client.as(user.token).call('views.create', { body: { page, title, state: '{"search":"q=a"}' } });
    return { app, user, as: app.client.as(user.token), other: app.client.as(other.token), save };
  };

  // API-EP-POST-user-views, API-EP-GET-user-views
  it('are kept for their user, by page and in the order of their titles', async () => {
    const { as, other, save } = await scene();
    const made = unwrap(await save('Offline')).value;
    expect(made).toMatchObject({ page: 'devices', title: 'Offline', state: '{"search":"q=a"}' });
    unwrap(await save('Beta'));
    unwrap(await save('Errors', 'logs'));
    const titles = async (page?: string) =>
      unwrap(await as.call('views.list', { query: page === undefined ? {} : { page } })).value.map(
        ({ title }) => title,
      );
    expect(await titles()).toEqual(['Beta', 'Errors', 'Offline']);
    expect(await titles('devices')).toEqual(['Beta', 'Offline']);
    expect(unwrap(await other.call('views.list')).value).toEqual([]);
  });

  // API-EP-PUT-user-views-view_id, API-EP-DELETE-user-views-view_id
  it('are changed and deleted by their user alone', async () => {
    const { app, as, other, save } = await scene();
    const { id, created_at } = unwrap(await save('Offline')).value;
    const params = { view_id: id };
    expect(outcome(await other.call('views.update', { params, body: { title: 'x' } }))).toBe('NOT_FOUND');
    expect(outcome(await other.call('views.remove', { params }))).toBe('NOT_FOUND');
    await app.clock.advance(5);
    const renamed = unwrap(await as.call('views.update', { params, body: { title: 'Lost' } })).value;
    expect(renamed).toMatchObject({ title: 'Lost', state: '{"search":"q=a"}', created_at });
    expect(Number(renamed.updated_at)).toBe(Number(created_at) + 5);
    expect(unwrap(await as.call('views.update', { params, body: { state: '{}' } })).value.state).toBe('{}');
    expect(outcome(await as.call('views.remove', { params }))).toBe('ok');
    expect(outcome(await as.call('views.remove', { params }))).toBe('NOT_FOUND');
  });

  // API-LIMIT-views
  it('are at most 100 of a user', async () => {
    const { app, user, save } = await scene();
    const rows = Array.from({ length: viewsLimit }, (_, number) => ({
      id: `view ${number}`,
      user_id: user.id,
      page: 'devices',
      title: 'x',
      state: '',
      created_at: 1,
      updated_at: 1,
    }));
    await app.storage.db.insertInto('saved_views').values(rows).execute();
    expect(outcome(await save('one more'))).toBe('LIMIT_REACHED');
  });
});
