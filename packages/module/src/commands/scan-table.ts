import { byteLength, printValue, ssid as ssidKind } from '../variables/kinds.ts';
import { securityNames } from '../wlan/air.ts';
import type { Heard } from '../wlan/radio.ts';
import { linkRates } from '../wlan/signal.ts';
import type { Board } from './board.ts';

/** The tables of `wlan_scan`; the second has more columns, of which the seventh is unknown. Spec: MOD-CMD-wlan_scan. */
export const scanTable = (
  { personality }: Pick<Board, 'personality'>,
  heard: readonly Heard[],
  verbose = false,
): readonly string[] => {
  const count = personality.text('scanCount', { count: heard.length });
  if (heard.length === 0) return [count];
  const rows = heard.map(({ point, rssiDbm, ssid }, index) => {
    const { bssid, channel, security } = point;
    const name = printValue(ssidKind, ssid);
    if (!verbose) return personality.row('scan', index, channel, rssiDbm, bssid, name);
    const rate = linkRates(point, 'auto', 0).max.toFixed(1);
    const length = byteLength(ssid);
    return personality.row(
      'scanVerbose',
      index,
      channel,
      rssiDbm,
      bssid,
      rate,
      securityNames[security],
      '-',
      length,
      name,
    );
  });
  return [count, personality.text(verbose ? 'scanVerboseHead' : 'scanHead'), ...rows];
};
