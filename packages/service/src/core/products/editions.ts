import { randomUUID } from 'node:crypto';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { insertProduct, productTaken } from './queries.ts';
import type { NewEdition } from './rules.ts';

/** The products that devices are activated to when they leave the factory. Reference: model 1.1, rules 1.2. */
export const editions = {
  taken: productTaken,

  /** Makes an edition product: published and claimable, so that everybody may take devices from it and back to it. */
  async add(trx: Db, edition: NewEdition): Promise<string> {
    const id = randomUUID();
    const { code, product, title, userId, atMs } = edition;
    await insertProduct(trx, {
      id,
      code,
      product,
      title,
      meta: '',
      summary: '',
      description: '',
      user_id: userId,
      customer_id: null,
      platform_id: edition.platformId,
      flavor_id: edition.flavorId,
      publication: 'published',
      trashed: 0,
      claimable: 1,
      production: 0,
      edition: 1,
      part_number: null,
      created_at: atMs,
      updated_at: atMs,
    });
    const message = `Edition product ${product} made`;
    await writeLog(trx, { type: 'product.create', message, atMs, userId, productId: id });
    return id;
  },
};
