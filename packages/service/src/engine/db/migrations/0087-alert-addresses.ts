import { randomUUID } from 'node:crypto';
import { realClock } from '@moorage/base';
import type { Kysely, Migration } from 'kysely';
import type { Schema } from '../schema.ts';
import { makeTable, part, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** How long the links are good that the addresses of rules get, in ms. */
const linkMs = 7 * 86_400_000;

/** The confirmed address of an account that works on a product or owns it, and of administrators. */
const reader = (db: Kysely<Schema>, productId: string, email: string) =>
  db
    .selectFrom('users as u')
    .innerJoin('products as p', (join) => join.on('p.id', '=', productId))
    .select('u.id')
    .where('u.email', '=', email)
    .where('u.email_confirmed_at', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('u.role', '=', 'admin'),
        eb('p.user_id', '=', eb.ref('u.id')),
        eb('p.customer_id', '=', eb.ref('u.customer_id')),
        eb.exists(
          eb
            .selectFrom('product_users as m')
            .select('m.user_id')
            .whereRef('m.product_id', '=', 'p.id')
            .whereRef('m.user_id', '=', 'u.id'),
        ),
      ]),
    )
    .executeTakeFirst();

/** Addresses of rules that are there count where they are known for the product, and get a link where they are not. */
async function takeAddresses(db: Kysely<Schema>): Promise<void> {
  const rules = await db.selectFrom('alert_rules').select(['product_id', 'mail_to']).execute();
  const wanted = new Map(
    rules.flatMap(({ product_id, mail_to }) =>
      // Safe: the service has written a list of addresses.
      (JSON.parse(mail_to ?? '[]') as string[]).map((address) => {
        const email = address.toLowerCase();
        return [`${product_id} ${email}`, { product_id, email }] as const;
      }),
    ),
  );
  const now = realClock.now();
  for (const { product_id, email } of wanted.values()) {
    if (await reader(db, product_id, email)) {
      await db.insertInto('alert_addresses').values({ product_id, email, confirmed_at: now }).execute();
      continue;
    }
    const times = { created_at: now, expires_at: now + linkMs, due_at: now, used_at: null };
    const link = { id: randomUUID(), kind: 'alerts', product_id, user_id: null, email } as const;
    await db
      .insertInto('mail_links')
      .values({ ...link, token_hash: null, attempts: 0, ...times })
      .execute();
  }
}

/** The addresses that alerts of a product may be mailed to. */
export const alertAddresses = (ddl: Ddl): Migration => ({
  async up(db) {
    await db.schema
      .alterTable('mail_links')
      .addColumn('product_id', 'text', (column) => column.references('products.id').onDelete('cascade'))
      .execute();
    const parts = { product_id: { ...part('products'), key: true }, email: { ...text, key: true } } as const;
    await makeTable(db, ddl, 'alert_addresses', { ...parts, confirmed_at: time });
    await takeAddresses(db);
  },
});
