import { endpointName, isBinary } from '@moorage/api';
import { realClock } from '@moorage/base';
import { findDevice } from '../../core/devices/queries.ts';
import { parseDeviceKey } from '../../core/devices/rules.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import type { Caller, Deps, Interceptor } from '../../engine/http/types.ts';
import { type AuditKeeper, auditKeeper } from './keeper.ts';
import { auditing, type Change, loggedThing } from './recording.ts';
import { changedFields, type Fields, objectOf } from './rules.ts';

const fieldsOf = (value: unknown): Fields =>
  // Safe: objects are read by names alone.
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Parameters of a path with the id of the device that they name: each device has several names. */
async function withDeviceId(db: Db, params: Fields): Promise<Fields> {
  const key = typeof params.device_id === 'string' ? parseDeviceKey(params.device_id) : undefined;
  const device = key && key.by !== 'id' ? await findDevice(db, key) : undefined;
  return device ? { ...params, device_id: device.id } : params;
}

/**
 * Makes each change by a person or token leave its row in the audit. A GET changes nothing.
 * Spec: API-RULE-audit-1, API-RULE-audit-4.
 */
const auditChanges =
  ({ storage, clock }: Pick<Deps, 'storage' | 'clock'>, keeper: Pick<AuditKeeper, 'soon'>): Interceptor =>
  (shape, beside) => {
    const { method, audit, body: schema } = shape;
    const action = endpointName(shape);
    if (method === 'GET' || !audit || 'none' in audit || action === undefined) return undefined;
    const { read = '' } = audit;
    const fields = changedFields(shape, beside[read]);
    // The bytes of an upload are no fields.
    const hasFields = schema !== undefined && !isBinary(schema);
    return async (call, work, answerOf) => {
      const [given, query] = [fieldsOf(call.params), fieldsOf(call.query)];
      const body = hasFields ? fieldsOf(call.body) : {};
      if (fields.mayBePreview && body.preview === true) return work();
      const params = await withDeviceId(storage.db, given);
      const record = beside[read] && fields.needsRecord ? fieldsOf(await answerOf(read)) : {};
      // Safe: of these endpoints, who has to show a token is a user.
      const { userId, tokenId } = fieldsOf(call.caller) as Partial<Caller>;
      const about: Change['about'] = (seen) => {
        const productId = params.product_id ?? seen.log?.productId ?? body.product_id ?? record.product_id;
        return {
          object: objectOf(audit, params, userId, seen),
          productId: typeof productId === 'string' ? productId : undefined,
          ...fields.texts({ body, params: given, query, record: fieldsOf(seen.was ?? record) }),
        };
      };
      const change = { atMs: clock.now(), action, userId, tokenId, ip: call.ip, about };
      const outcome = await auditing(storage, change, work);
      if (outcome.ok) keeper.soon();
      return outcome;
    };
  };

/** The audit of what this process changes. */
export function openAudit(deps: Pick<Deps, 'storage' | 'clock' | 'log' | 'health'>): {
  readonly audit: Interceptor;
  closeAudit(): Promise<void>;
} {
  const keeper = auditKeeper(deps);
  return { audit: auditChanges(deps, keeper), closeAudit: () => keeper.close() };
}

/** Does something at the command line of the machine, which leaves a row in the audit as a call does. */
export const auditingCommand = <T>(storage: Storage, action: string, work: () => Promise<T>): Promise<T> => {
  const about: Change['about'] = ({ log }) => ({
    object: loggedThing(log) ?? (log?.userId ? { kind: 'user', id: log.userId } : undefined),
    productId: log?.productId,
  });
  return auditing(storage, { atMs: realClock.now(), action, by: 'command line', about }, work);
};
