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
    const { code, product, title, platformId, flavorId, userId, atMs } = edition;
    const made = { id, code, product, title, user_id: userId, platform_id: platformId, flavor_id: flavorId };
    await insertProduct(trx, { ...made, publication: 'published', edition: 1, created_at: atMs });
    const message = `Edition product ${product} made`;
    await writeLog(trx, { type: 'product.create', message, atMs, userId, productId: id });
    return id;
  },
};
