import { createPublicKey, hash, randomUUID } from 'node:crypto';
import { type DoorKeyRecord, type doorsContract, keysLimit, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct, growingProduct } from '../../core/access/products.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Deps, Handlers } from '../../engine/http/types.ts';
import { countKeys, deleteKey, listKeys, namesTaken, putKeys } from './queries.ts';

type Contract = Pick<typeof doorsContract, 'keys' | 'addKeys' | 'removeKey'>;

const manage = 'product.fleet';
/** Digits by which people compare what two sides show. */
const proofDigits = 16;
/** Rows of one statement: both databases limit its parameters. */
const keysOfStatement = 500;

/** SHA-256 of a public key, hex, as the client shows it; nothing for a text that is none. */
function keyHashOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return trimmed.toLowerCase();
  try {
    const key = trimmed.startsWith('-----')
      ? createPublicKey(trimmed)
      : createPublicKey({ key: Buffer.from(trimmed, 'base64'), format: 'der', type: 'spki' });
    return hash('sha256', key.export({ type: 'spki', format: 'der' }));
  } catch {
    // What the library throws for a text that is no key says nothing more.
    return undefined;
  }
}

const wrongKey = (at: number) => {
  const detail = `Field "keys.${at}.key" of the body is neither a public key nor the SHA-256 of one`;
  return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [`keys.${at}.key`] }));
};

interface NamedKey {
  readonly name: string;
  readonly keyHash: string;
}

/** The keys of a call; of a name that comes twice the last. Refusal: INVALID_REQUEST. */
function readKeys(keys: readonly { readonly name: string; readonly key: string }[]): Result<NamedKey[], Refusal> {
  const read = new Map<string, NamedKey>();
  for (const [at, { name, key }] of keys.entries()) {
    const keyHash = keyHashOf(key);
    if (keyHash === undefined) return wrongKey(at);
    read.set(name, { name, keyHash });
  }
  return success([...read.values()]);
}

/** Public keys that people accept before their devices come. Spec: API-DOOR-keys. */
export const keyRoutes = ({ storage, clock }: Deps): Handlers<Contract> => ({
  async keys({ caller, params, query }) {
    const product = await allowedProduct(storage.db, params.product_id, caller, manage);
    if (!product.ok) return product;
    const { items, total } = await listKeys(storage.db, product.value.id, query);
    const records = items.map(
      ({ id, name, key_hash, created_at }): DoorKeyRecord => ({
        id,
        name,
        proof: key_hash.slice(0, proofDigits),
        created_at: String(created_at),
      }),
    );
    return success({ items: records, total });
  },
  async addKeys(call) {
    const read = readKeys(call.body.keys);
    if (!read.ok) return read;
    return transactionOverConflicts(storage, async (trx) => {
      const product = await growingProduct(trx, call.params.product_id, call.caller, 'product.change');
      if (!product.ok) return product;
      const { id: productId, product: code } = product.value;
      const refused = [];
      let done = 0;
      for (let at = 0; at < read.value.length; at += keysOfStatement) {
        const some = read.value.slice(at, at + keysOfStatement);
        const taken = await namesTaken(
          trx,
          productId,
          some.map(({ name }) => ({ door: 'mender' as const, name })),
        );
        const fresh = some.filter(({ name }) => !taken.has(`mender ${name}`));
        for (const { name } of some) {
          if (!taken.has(`mender ${name}`)) continue;
          const { code: reason, message } = refusal('DUPLICATE', { what: 'Device', value: name });
          refused.push({ name, code: reason, message });
        }
        const row = { product_id: productId, user_id: call.caller.userId, created_at: clock.now() };
        await putKeys(
          trx,
          fresh.map(({ name, keyHash }) => ({ id: randomUUID(), ...row, name, key_hash: keyHash })),
        );
        done += fresh.length;
      }
      if ((await countKeys(trx, productId)) > keysLimit) {
        const blanks = { what: `Product "${code}"`, limit: keysLimit, things: 'keys whose devices have not come' };
        return failure(refusal('LIMIT_REACHED', blanks));
      }
      const message = `${done} public ${done === 1 ? 'key' : 'keys'} of devices of product ${code} accepted beforehand`;
      const data = { names: read.value.map(({ name }) => name).slice(0, 20) };
      await writeLog(trx, { ...byCaller(call, clock.now()), type: 'door.decide', message, productId, data });
      return success({ done, refused });
    });
  },
  removeKey: (call) =>
    storage.transaction(async (trx) => {
      const product = await allowedProduct(trx, call.params.product_id, call.caller, 'product.change');
      if (!product.ok) return product;
      const { id: productId, product: code } = product.value;
      if (!(await deleteKey(trx, productId, call.params.key_id))) return failure(refusal('NOT_FOUND', { what: 'Key' }));
      const message = `The acceptance of a public key of product ${code} is taken back`;
      const data = { key_id: call.params.key_id };
      await writeLog(trx, { ...byCaller(call, clock.now()), type: 'door.decide', message, productId, data });
      return success(resultOk);
    }),
});
