import type { CustomerRole } from '@moorage/api';
import * as t from '../../engine/db/table.ts';

export const userTables = {
  users: t.table(
    {
      id: t.key,
      /** Lower case; unique. */
      email: t.text,
      /** Prefix of product codes; lower case; unique. */
      username: t.text,
      password_hash: t.text,
      name_given: t.text,
      name_family: t.text,
      organisation: t.text,
      role: t.word<'user' | 'customer' | 'admin'>(),
      customer_id: t.optional(t.text),
      /** Among the people of the customer. */
      customer_role: t.withDefault(t.word<CustomerRole>(), 'owner'),
      avatar_id: t.optional(t.text),
      created_at: t.time,
      /** Since when the account may not come in; null for one that may. */
      disabled_at: t.optional(t.time),
      /** Since when mails to the address are known to reach its user. */
      email_confirmed_at: t.optional(t.time),
      /**
       * The product that a service account belongs to; null for people. Without a reference: they go in the transaction that
       * deletes their product, after what they have made.
       */
      service_product_id: t.optional(t.text),
      /** A login with the password is not enough: there is an app that shows codes, or a passkey. */
      second_factor: t.withDefault(t.flag, 0),
    },
    [
      t.unique('email'),
      t.unique('username'),
      t.index('customer_id'),
      { ...t.index('service_product_id'), where: ['service_product_id'] },
    ],
  ),
};
