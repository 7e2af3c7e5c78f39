import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';

// API-LIMIT-requests
eachDatabase('requests a minute', (open) => {
  const limit = 20;
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { requestsPerMinute: limit } });
  });
  afterAll(() => app.service.close());

  const ask = (token: string) => app.api.inject({ url: '/api/user', headers: { authorization: `Bearer ${token}` } });

  it('over the limit are refused, of all sessions of a user together, at once too, until the minute is over', async () => {
    const [busy, other] = [await app.make.user(), await app.make.user()];
    const made = await app.client.as(busy.token).call('tokens.create', {});
    const second = made.ok ? made.value.value.token : '';
    const replies = await Promise.all(Array.from({ length: limit + 4 }, (_, at) => ask(at % 2 ? busy.token : second)));
    // The token took one of them.
    const statuses = replies.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array(limit - 1).fill(200), ...Array(5).fill(429)]);
    const refused = await ask(busy.token);
    expect(refused.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_REQUESTS' });
    const waitS = Number(refused.headers['retry-after']);
    expect(waitS).toBeGreaterThan(0);
    expect((await ask(other.token)).statusCode).toBe(200);
    await app.clock.advance(waitS * 1_000);
    expect((await ask(busy.token)).statusCode).toBe(200);
  });

  it('for a record that lies ready are counted, too', async () => {
    const owner = await app.make.user();
    const platform = await app.make.platform();
    const device = { platform_id: platform.id, product_id: platform.edition.id, user_id: owner.id };
    const { uuid } = await app.make.device(device);
    const origin = await app.api.listen({ host: '127.0.0.1', port: 0 });
    const statuses: number[] = [];
    for (let time = 0; time < limit + 2; time++) {
      const reply = await fetch(`${origin}/api/devices/${uuid}`, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      await reply.arrayBuffer();
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([...Array(limit).fill(200), 429, 429]);
  });

  it('of strangers are counted for no one', async () => {
    const user = await app.make.user();
    for (let time = 0; time <= limit; time++) expect((await ask('wrong')).statusCode).toBe(401);
    expect((await ask(user.token)).statusCode).toBe(200);
  });

  it('are not limited by 0', async () => {
    const free = await buildApp(await open(), { settings: { requestsPerMinute: 0 } });
    const { token } = await free.make.user();
    const url = '/api/user';
    for (let time = 0; time < 50; time++) {
      expect((await free.api.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode).toBe(200);
    }
  });
});
