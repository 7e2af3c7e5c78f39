import * as t from '../../engine/db/table.ts';

export const gatewayTables = {
  /** A real module that a gateway of a user has found. */
  found_modules: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      gateway_id: t.text,
      /** What the gateway calls itself. */
      gateway: t.text,
      address: t.text,
      mac: t.optional(t.text),
      version: t.optional(t.text),
      board: t.optional(t.text),
      ssid: t.optional(t.text),
      signal: t.optional(t.integer),
      has_password: t.optional(t.integer),
      problem: t.optional(t.text),
      /** What it is to become a device of, once that has been asked for. */
      product_id: t.forgets('products'),
      seen_at: t.time,
    },
    [t.index('product_id'), t.index('user_id', 'gateway_id')],
  ),
};
