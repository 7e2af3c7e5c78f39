import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../engine/db/open.ts';
import { databaseSource } from '../../testing/index.ts';

const columns = { condition: '{}', at_least: 1, gather_minutes: 1, connectors: '[]', enabled: 1 } as const;
const times = { silenced_until: null, created_at: 1, updated_at: 1 };

// API-RULE-alert-6
describe.each(['sqlite', 'postgres'] as const)('rules from before addresses were confirmed (%s)', (kind) => {
  const source = databaseSource(kind, { holds: 'nothing' });
  afterAll(() => source.remove());

  it('keep the confirmed address of who owns the product, and mail the others a link', async () => {
    const url = await source.make();
    const { db, close } = await openStorage(url, { upTo: '0086-customer-invitations' });
    const names = { password_hash: '', name_given: '', name_family: '', organisation: '' };
    const nothing = { customer_id: null, avatar_id: null, disabled_at: null, service_product_id: null };
    const account = { ...names, ...nothing, role: 'user', created_at: 1, second_factor: 0 } as const;
    const people = { owner: 5, doubtful: null, stranger: 5 };
    const ids = new Map(Object.keys(people).map((name) => [name, randomUUID()]));
    for (const [name, email_confirmed_at] of Object.entries(people)) {
      const own = { id: ids.get(name) ?? '', username: name, email: `${name}@pier.test`, email_confirmed_at };
      await db
        .insertInto('users')
        .values({ ...account, ...own })
        .execute();
    }
    const [platform_id, id] = [randomUUID(), randomUUID()];
    const platform = { id: platform_id, code: 'P', title: '', description: '', part_id: null, manufacturer: null };
    await db
      .insertInto('platforms')
      .values({ ...platform, avatar_id: null, product_id: null, created_at: 1 })
      .execute();
    const texts = { code: 'C', product: 'O-C', title: '', meta: '', summary: '', description: '' };
    const standing = { publication: 'preview', trashed: 0, claimable: 0, production: 0, edition: 0 } as const;
    const owned = { user_id: ids.get('owner') ?? null, customer_id: null, platform_id, flavor_id: null };
    await db
      .insertInto('products')
      .values({ id, ...texts, ...standing, ...owned, part_number: null, created_at: 1, updated_at: 1 })
      .execute();
    const addresses = ['Owner@pier.test', 'doubtful@pier.test', 'stranger@pier.test', 'pia@pier.test'];
    for (const mail_to of [JSON.stringify(addresses), JSON.stringify(addresses), null]) {
      const rule = { id: randomUUID(), product_id: id, segment_id: null, title: '', mail_to };
      await db
        .insertInto('alert_rules')
        .values({ ...rule, ...columns, ...times })
        .execute();
    }
    await close();
    const storage = await openStorage(url);
    const confirmed = await storage.db.selectFrom('alert_addresses').select(['product_id', 'email']).execute();
    expect(confirmed).toEqual([{ product_id: id, email: 'owner@pier.test' }]);
    const links = storage.db.selectFrom('mail_links').select(['kind', 'email', 'user_id', 'product_id']);
    expect(await links.where('due_at', 'is not', null).orderBy('email').execute()).toEqual(
      ['doubtful', 'pia', 'stranger'].map((name) => ({
        kind: 'alerts',
        email: `${name}@pier.test`,
        user_id: null,
        product_id: id,
      })),
    );
    await storage.close();
  });
});
