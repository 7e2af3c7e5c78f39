import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { answerText } from './driver/driver.ts';
import { standInRig } from './testing/stand-in-rig.ts';
import { standIns } from './testing/stand-ins.ts';

test.each(['slow', 'chatty'] as const)('trial %s', async (kind) => {
  const rig = await standInRig(standIns[kind], 'terminal');
  const driver = await rig.open();
  for (const [line, want] of [
    ['get wlan.ssid', 'harbour'],
    ['version', rig.standIn.version],
    ['get wlan.mac', '4C:55:CC:10:00:2A'],
    ['get nonsense', 'Unknown variable'],
  ] as const) {
    for (let n = 0; n < 5; n++) expect(answerText(unwrap(await rig.until(driver.run(line))))).toBe(want);
  }
});
