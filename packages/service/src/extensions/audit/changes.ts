import { endpointName, isBinary } from '@moorage/api';
import { auditing } from '../../engine/db/audit.ts';
import type { Audited, Caller, Deps } from '../../engine/http/types.ts';
import { type AuditKeeper, auditKeeper } from './keeper.ts';
import { changedFields, type Fields, notAudited, objectOf } from './rules.ts';

const exempt: Readonly<Record<string, string>> = notAudited;

const fieldsOf = (value: unknown): Fields =>
  // Safe: objects are read by names alone.
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** The fields of a record as its endpoint answers it; some are text already. */
function recordOf(answer: unknown): Fields {
  const { json } = fieldsOf(answer);
  return fieldsOf(typeof json === 'string' ? JSON.parse(json) : answer);
}

/**
 * Makes each change by a person or token leave its row in the audit. A GET changes nothing.
 * Spec: API-RULE-audit-1, API-RULE-audit-4.
 */
const auditChanges =
  ({ storage, clock }: Pick<Deps, 'storage' | 'clock'>, keeper: Pick<AuditKeeper, 'soon'>): Audited =>
  (shape, read) => {
    const action = endpointName(shape);
    if (shape.method === 'GET' || action === undefined || exempt[action] !== undefined) return undefined;
    const fields = changedFields(shape, read);
    // The bytes of an upload are no fields.
    const hasFields = shape.body !== undefined && !isBinary(shape.body);
    return async (call, work, record) => {
      const [params, query] = [fieldsOf(call.params), fieldsOf(call.query)];
      const body = hasFields ? fieldsOf(call.body) : {};
      if (fields.mayBePreview && body.preview === true) return work();
      // Safe: of these endpoints, who has to show a token is a user.
      const { userId, tokenId } = fieldsOf(call.caller) as Partial<Caller>;
      const { product_id: productId } = params;
      const change = {
        atMs: clock.now(),
        action,
        userId,
        tokenId,
        ip: call.ip,
        object: objectOf(shape, params, userId),
        productId: typeof productId === 'string' ? productId : undefined,
        ...fields.texts({ body, params, query, record: fields.needsRecord ? recordOf(await record()) : {} }),
      };
      const outcome = await auditing(storage, change, work);
      if (outcome.ok) keeper.soon();
      return outcome;
    };
  };

/** The audit of what this process changes. */
export function openAudit(deps: Pick<Deps, 'storage' | 'clock' | 'log' | 'health'>): {
  readonly audit: Audited;
  closeAudit(): Promise<void>;
} {
  const keeper = auditKeeper(deps);
  return { audit: auditChanges(deps, keeper), closeAudit: () => keeper.close() };
}
