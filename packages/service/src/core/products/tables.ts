import * as t from '../../engine/db/table.ts';

export const productTables = {
  /** Spec: API-RULE-model-2. */
  products: t.table(
    {
      id: t.key,
      /** As sent, upper case. */
      code: t.text,
      /** Full code `<OWNER>-<PLATFORM>_<NAME>`; unique. */
      product: t.text,
      title: t.text,
      meta: t.text,
      summary: t.text,
      description: t.text,
      user_id: t.optional(t.needs('users')),
      customer_id: t.optional(t.text),
      platform_id: t.needs('platforms'),
      flavor_id: t.optional(t.needs('flavors')),
      publication: t.word<'preview' | 'published' | 'archive'>(),
      trashed: t.flag,
      claimable: t.flag,
      production: t.flag,
      /** An edition product: what a device is activated to when it leaves the factory. */
      edition: t.flag,
      part_number: t.optional(t.text),
      created_at: t.time,
      updated_at: t.time,
    },
    [
      t.unique('product'),
      t.index('created_at', 'id'),
      t.index('customer_id'),
      t.index('flavor_id'),
      t.index('platform_id'),
      t.index('user_id'),
    ],
  ),
  product_users: t.table(
    {
      product_id: t.keyed(t.part('products')),
      user_id: t.keyed(t.part('users')),
      role: t.word<'manager' | 'tester'>(),
      created_at: t.time,
    },
    [t.index('user_id')],
  ),
  activation_tokens: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      user_id: t.part('users'),
      token_hash: t.text,
      tail: t.text,
      uses_left: t.integer,
      created_at: t.time,
    },
    [t.unique('token_hash'), t.index('product_id'), t.index('user_id')],
    { known: ['activation token'] },
  ),
};
