import { describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp } from '../../testing/index.ts';

describe('a service that is told to stop', () => {
  // API-EP-GET-healthz
  it('says so to proxies as long as it still listens', async () => {
    const storage = await openRecords('sqlite::memory:');
    const app = await buildApp(storage);
    const closing = app.service.close();
    const replies = await Promise.all([app.client.call('meta.health'), app.client.call('meta.ready')]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ ok: false, error: { status: 503, body: { code: 'STOPPING' } } });
    }
    await closing;
    await storage.close();
  });
});
