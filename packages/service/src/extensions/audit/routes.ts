import { AuditRecord, type auditContract, type Refusal, type ReplyOf } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { authorise, generalRoles, viewerFor } from '../../core/access/rules.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { chainOf, linksFrom, listAudit, seal } from './queries.ts';
import { ChainCheck, emptyChain, headless, type Link, type Noted, type Retention } from './rules.ts';

type Contract = typeof auditContract;

const auditRecord = (row: Link): AuditRecord =>
  recordFrom(AuditRecord, row, {
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
  });

/** API-EP-GET-audit */
async function list({ storage }: Deps, { caller, query }: Call<Contract['list']>) {
  // What was changed a moment ago is there.
  await seal(storage);
  const { items, ...page } = await listAudit(storage.db, viewerFor('audit.all', caller), query);
  return success({ ...page, items: items.map(auditRecord) });
}

/** Rows that are checked at a time. */
const checkedAtOnce = 1_000;

/** Follows the chain from its begin to its end. Nothing when its begin has moved meanwhile. */
async function check({ storage: { db } }: Deps, retention: Retention, noted: Noted | undefined) {
  const found = await chainOf(db);
  const chain = found ?? emptyChain;
  const following = new ChainCheck(chain, retention, noted);
  let fault = !found && (await linksFrom(db, 0, 1)).length > 0 ? headless : undefined;
  while (!fault) {
    const rows = await linksFrom(db, following.seq, checkedAtOnce);
    for (const row of rows) {
      // What has come since then is for the next time, unless it lies behind the end.
      if (row.seq > chain.seq) break;
      fault ??= following.next(row);
    }
    const last = rows.at(-1);
    if (!last || last.seq >= chain.seq || rows.length < checkedAtOnce) break;
  }
  fault ??= following.end();
  if (fault && (await chainOf(db))?.dropped_seq !== found?.dropped_seq) return undefined;
  return { chain, fault };
}

/** API-EP-GET-audit-verify */
async function verify(
  deps: Deps,
  { caller, query: { seq, hash, days = deps.settings.auditDays } }: Call<Contract['verify']>,
): Promise<Result<ReplyOf<Contract['verify']>, Refusal>> {
  const refused = authorise('audit.all', generalRoles(caller), 'Audit');
  if (refused) return failure(refused);
  await seal(deps.storage);
  const noted = seq === undefined || hash === undefined ? undefined : { seq, hash };
  for (;;) {
    const found = await check(deps, { days, nowMs: deps.clock.now() }, noted);
    if (!found) continue;
    const { chain, fault } = found;
    return success({
      ok: fault === undefined,
      rows: chain.seq - chain.dropped_seq,
      first_seq: chain.dropped_seq + 1,
      last_seq: chain.seq,
      hash: chain.hash,
      problem: fault ?? null,
    });
  }
}

/** What people and tokens have changed. */
export const auditRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { list, verify });
