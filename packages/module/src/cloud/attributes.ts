import type { ServiceParts } from '../services/service.ts';

/**
 * What a module reports of itself with each query, under the names that filters use. Bytes free in the extended flash,
 * seconds since the boot, dBm. Spec: MOD-OTA-attributes.
 */
export const attributesOf = ({
  flash,
  model,
  personality,
  rtc,
  variables,
  wlan,
}: Pick<ServiceParts, 'flash' | 'model' | 'personality' | 'rtc' | 'variables' | 'wlan'>) => ({
  personality: personality.name,
  board: personality.board,
  model: model.name,
  address: variables.get('network.ip'),
  signal: wlan.rssiDbm ?? null,
  free_flash: flash.free('e'),
  uptime: Math.floor(rtc.uptimeMs() / 1000),
});
