import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import type { FastifyRequest } from 'fastify';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Authenticate } from '../../engine/http/mount.ts';
import type { DeviceCaller, DoorCaller } from '../../engine/http/types.ts';

/** What a client of DDI calls itself, and where it comes from. */
interface Named {
  readonly door: 'ddi';
  readonly tenant: string;
  readonly name: string;
  readonly ip: string;
}

type Identified = Promise<Result<DoorCaller, Refusal>>;

/** Who says which device it is. */
export interface DoorKeeper {
  byToken(shown: Named & { readonly kind: 'target' | 'gateway'; readonly token: string }): Identified;
  byTicket(ticket: string, named: Named): Identified;
  byCertificate(row: DeviceRow, named: Named): Identified;
}

/** The token of a header; its scheme is written in any letter case. */
const headerPattern = /^(target|gateway)token +(\S{1,256})$/i;

/** Name and token of a client that can only put them into its address, such as RAUC. */
function basicOf(authorization: string): { readonly name: string; readonly token: string } | undefined {
  const [, packed] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(authorization) ?? [];
  if (packed === undefined) return undefined;
  const text = Buffer.from(packed, 'base64').toString();
  // A name may have colons, a token has none.
  const at = text.lastIndexOf(':');
  return { name: text.slice(0, Math.max(0, at)), token: text.slice(at + 1) };
}

/** By a token that is the product's or its own. */
async function byEither(keeper: DoorKeeper, named: Named, token: string): Identified {
  const byProduct = await keeper.byToken({ ...named, kind: 'gateway', token });
  return byProduct.ok ? byProduct : keeper.byToken({ ...named, kind: 'target', token });
}

/**
 * The check of DDI: by the token of the device or of its product, by the ticket of a link to a file, or by the
 * certificate that devices have on this listener. What is wrong is not told. Spec: API-DOOR-identity.
 */
export const ddiCheck =
  (keeper: DoorKeeper, byCertificate: Authenticate<DeviceCaller>): Authenticate<DoorCaller> =>
  async (request: FastifyRequest) => {
    // Safe: every path of this door has both.
    const { tenant, controller_id: name } = request.params as { tenant: string; controller_id: string };
    const named = { door: 'ddi', tenant, name, ip: request.ip } as const;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const basic = basicOf(authorization);
      if (basic) return basic.name === name ? byEither(keeper, named, basic.token) : stranger();
      const [, kind, token] = headerPattern.exec(authorization) ?? [];
      if (token === undefined) return stranger();
      return keeper.byToken({ ...named, kind: kind?.toLowerCase() === 'gateway' ? 'gateway' : 'target', token });
    }
    // Safe: the query of a path that takes none is passed over.
    const { ticket } = request.query as { ticket?: unknown };
    if (typeof ticket === 'string') return keeper.byTicket(ticket, named);
    const device = await byCertificate(request);
    if (!device.ok || device.value.uuid !== name.toLowerCase()) return stranger();
    return keeper.byCertificate(device.value.row, named);
  };

/** Who knows the clients of Mender. */
export interface KeyKeeper {
  byBearer(token: string, ip: string): Identified;
  byDownload(ticket: string, updateId: number, ip: string): Identified;
}

/** The check of Mender: by the token that the key of the device has got, or by the ticket of a link to an artifact. */
export const menderCheck =
  (keeper: KeyKeeper): Authenticate<DoorCaller> =>
  async (request: FastifyRequest) => {
    const [, token] = /^bearer +(\S{1,1024})$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined) return keeper.byBearer(token, request.ip);
    // Safe: what a path or query does not have is passed over.
    const { ticket } = request.query as { ticket?: unknown };
    const { deployment_id: id } = request.params as { deployment_id?: string };
    if (typeof ticket === 'string' && id !== undefined) return keeper.byDownload(ticket, Number(id), request.ip);
    return stranger();
  };

const stranger = () => failure(refusal('DOOR_UNAUTHORISED'));
