import * as t from '../../engine/db/table.ts';
import { storedFile } from '../../engine/db/tables.ts';

export const platformTables = {
  platforms: t.table(
    {
      id: t.key,
      code: t.text,
      title: t.text,
      description: t.text,
      /** 8 lower-case hex digits; unique when set. */
      part_id: t.optional(t.text),
      manufacturer: t.optional(t.text),
      avatar_id: t.optional(t.text),
      /** The base edition product; set when the platform's first flavor is added. A reference would close a circle. */
      product_id: t.optional(t.text),
      /** For those alone to whom it has been given. */
      restricted: t.withDefault(t.flag, 0),
      created_at: t.time,
    },
    [t.unique('code'), t.unique('part_id')],
  ),
  flavors: t.table(
    {
      id: t.key,
      code: t.text,
      title: t.text,
      description: t.text,
      /** Needs the SDK to make bundles. */
      sdk: t.flag,
      restricted: t.withDefault(t.flag, 0),
      created_at: t.time,
    },
    [t.unique('code')],
  ),
  platform_flavors: t.table({ platform_id: t.keyed(t.part('platforms')), flavor_id: t.keyed(t.part('flavors')) }, [
    t.index('flavor_id'),
  ]),
  /** A platform or a flavor, given to a user or to the people of a customer. */
  catalogue_grants: t.table(
    {
      id: t.key,
      platform_id: t.optional(t.part('platforms')),
      flavor_id: t.optional(t.part('flavors')),
      user_id: t.optional(t.part('users')),
      customer_id: t.optional(t.part('customers')),
      created_at: t.time,
    },
    [
      { ...t.index('customer_id'), where: ['customer_id'] },
      { ...t.index('flavor_id'), where: ['flavor_id'] },
      { ...t.index('platform_id'), where: ['platform_id'] },
      { ...t.index('user_id'), where: ['user_id'] },
    ],
  ),
  firmwares: t.table(
    {
      id: t.key,
      platform_id: t.needs('platforms'),
      flavor_id: t.needs('flavors'),
      label: t.text,
      version: t.text,
      version_key: t.text,
      created_at: t.time,
    },
    [t.unique('platform_id', 'flavor_id', 'label', 'version'), t.index('flavor_id')],
  ),
  firmware_files: t.table({ ...storedFile, firmware_id: t.part('firmwares') }, [
    t.index('firmware_id'),
    t.index('sha256'),
  ]),
};
