import { randomUUID } from 'node:crypto';
import { type ActivationTokenRecord, type productsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { listed } from '../../engine/http/record-from.ts';
import type { Call, Deps } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue, tailOf } from '../../engine/secrets.ts';
import { allowedProduct, growingProduct } from '../access/products.ts';
import { deleteActivationToken, insertActivationToken, listActivationTokens } from './queries.ts';
import { activationTokenRecord } from './records.ts';

type Contract = typeof productsContract;

// The table has one row for activation tokens: who may make them may see and revoke them.
const action = 'token.activation.create';

/** API-EP-GET-products-product_id-tokens */
export async function listTokens({ storage }: Deps, { params, query, caller }: Call<Contract['listTokens']>) {
  const allowed = await allowedProduct(storage.db, params.product_id, caller, action);
  if (!allowed.ok) return allowed;
  return listed(listActivationTokens(storage.db, allowed.value.id, paging(query, '-created_at')), (row) =>
    activationTokenRecord(row, row.user, row.tail),
  );
}

/** API-EP-POST-products-product_id-tokens. The value leaves the service here and never again: API-RULE-token-1. */
export async function addToken({ storage, clock }: Deps, call: Call<Contract['addToken']>) {
  const atMs = clock.now();
  const value = newTokenValue();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ActivationTokenRecord, Refusal>> => {
    const allowed = await growingProduct(trx, call.params.product_id, call.caller, action);
    if (!allowed.ok) return allowed;
    const { id: productId, product } = allowed.value;
    const row = {
      id: randomUUID(),
      product_id: productId,
      user_id: call.caller.userId,
      token_hash: hashSecret(value),
      tail: tailOf(value),
      uses_left: call.body.uses ?? 1,
      created_at: atMs,
    };
    await insertActivationToken(trx, row);
    noteMade(row.id);
    const message = `Activation token made for product ${product}`;
    const data = { token_id: row.id, uses: row.uses_left };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'activation_token.create', message, productId, data });
    return success(activationTokenRecord(row, call.caller.username, value));
  });
}

/** API-EP-DELETE-products-product_id-tokens-token_id. The token fails at once: API-RULE-token-2. */
export async function removeToken({ storage, clock }: Deps, call: Call<Contract['removeToken']>) {
  const atMs = clock.now();
  const tokenId = call.params.token_id;
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const allowed = await allowedProduct(trx, call.params.product_id, call.caller, action);
    if (!allowed.ok) return allowed;
    const { id: productId, product } = allowed.value;
    if (!(await deleteActivationToken(trx, productId, tokenId))) {
      return failure(refusal('NOT_FOUND', { what: 'Activation token' }));
    }
    const message = `Activation token of product ${product} revoked`;
    const data = { token_id: tokenId };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'activation_token.revoke', message, productId, data });
    return success(resultOk);
  });
}
