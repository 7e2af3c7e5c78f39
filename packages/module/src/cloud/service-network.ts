import { otaResults } from '@moorage/api';
import { failure } from '@moorage/base';
import type { DeviceNetwork, ServiceFailure } from '@moorage/device';
import type { VariableStore } from '../variables/store.ts';
import type { JoinFailure } from '../wlan/join-table.ts';
import type { Wlan } from '../wlan/wlan.ts';

/** The network through which the module reaches its service: the interface of `dms.interface`. Spec: MOD-NET-auto-up. */
export function serviceNetwork(wlan: Wlan, variables: Pick<VariableStore, 'get'>): DeviceNetwork {
  // Spec: MOD-VAR-dms.interface.
  const face = () => wlan.interfaceOf(variables.get('dms.interface'));
  return {
    isUp: () => wlan.isUp(face()),
    async ensureUp() {
      const joined = await wlan.ensureUp(face());
      return joined.ok ? joined : failure(joinFailure(joined.error));
    },
  };
}

/** The join itself has printed why. */
const joinFailure = (reason: JoinFailure): ServiceFailure => ({
  result: reason === 'no-ssid' || reason === 'no-passkey' ? otaResults.noCredentials : otaResults.joinFailed,
  message: `The network is not joined: ${reason}`,
  local: true,
});
