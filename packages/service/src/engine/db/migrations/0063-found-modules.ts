import type { Migration } from 'kysely';
import {
  forgets,
  index,
  key,
  makeIndex,
  makeTable,
  optionalInteger,
  optionalText,
  part,
  text,
  time,
} from './columns.ts';
import type { Ddl } from './index.ts';

/** Real modules that gateways of users have found, and what they are to become. */
export const foundModules = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'found_modules', {
      id: key,
      user_id: part('users'),
      gateway_id: text,
      gateway: text,
      address: text,
      mac: optionalText,
      version: optionalText,
      board: optionalText,
      ssid: optionalText,
      signal: optionalInteger,
      has_password: optionalInteger,
      problem: optionalText,
      product_id: forgets('products'),
      seen_at: time,
    });
    await makeIndex(db, index('found_modules', 'user_id', 'gateway_id'));
    await makeIndex(db, index('found_modules', 'product_id'));
  },
});
