import { channelContract } from '@moorage/api';
import type { FastifyRequest } from 'fastify';
import type { Authenticate } from '../engine/http/mount.ts';
import type { Caller, Deps } from '../engine/http/types.ts';
import type { Outbound } from '../engine/outbound/ports.ts';
import { refuseProduct, refuseScope } from './access/token-limits.ts';
import { ChannelHub } from './channel/hub.ts';
import type { ChannelDeps } from './channel/routes.ts';
import { sendThroughConnector } from './connectors/messages.ts';
import { connectorById, optionsOf } from './connectors/queries.ts';
import { refuseConnectorUser } from './connectors/routes.ts';
import type { Live } from './data/live.ts';
import { deviceFor } from './devices/lookup.ts';
import { sortDevices } from './devices/many.ts';
import { findDevice } from './devices/queries.ts';
import { parseDeviceKey } from './devices/rules.ts';
import type { Hooks } from './hooks.ts';
import type { PollLoad } from './ota/poll-load.ts';

/** Puts the message channel together: what it needs of connectors, devices and users. */
export function openChannel(
  deps: Deps & { readonly outbound: Outbound; readonly load: PollLoad },
  live: Live,
  bearer: Authenticate<Caller>,
  hooks: Hooks,
): ChannelDeps {
  const { storage, clock, load } = deps;
  const webhook = async (deviceId: string, code: string, data: unknown) => {
    // The product as it is now: the device may have been activated to another since it connected.
    const device = await storage.hot.deviceById(deviceId);
    if (!device) return { ok: false, error: 'the device is gone' } as const;
    return sendThroughConnector(deps, device.product_id, code, device, data);
  };
  return {
    storage,
    clock,
    hub: new ChannelHub({
      ...deps,
      live,
      webhook,
      keepAttributes: hooks.attributesReported,
      wakesPerMinute: hooks.wakesPerMinute,
      stretch: (nowMs) => load.stretch(nowMs),
    }),
    live,
    deviceFor,
    sortDevices: (caller, selection) => storage.transaction((trx) => sortDevices(deps, trx, caller, selection)),
    async connector(db, id) {
      const found = await connectorById(db, id);
      if (!found) return undefined;
      const options = optionsOf(found);
      return {
        productId: found.product_id,
        code: found.code,
        secret: 'secret' in options ? options.secret : undefined,
        refuseUser: async (caller) =>
          refuseScope(caller, channelContract.send.scope) ??
          refuseProduct(caller, found.product_id) ??
          (await refuseConnectorUser(db, found, caller)),
      };
    },
    async userOf(authorization, ip) {
      // The check looks at this header and the address alone.
      const found = await bearer({ headers: { authorization }, ip } as FastifyRequest);
      return found.ok ? found.value : undefined;
    },
    async device(db, name) {
      const key = parseDeviceKey(name);
      return key && (await findDevice(db, key, ''));
    },
  };
}
