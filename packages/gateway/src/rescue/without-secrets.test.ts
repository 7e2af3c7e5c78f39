import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { standInRig } from '../testing/stand-in-rig.ts';
import { planted, standInKinds, standIns } from '../testing/stand-ins.ts';
import { packArchive } from './archive.ts';
import { rescue } from './rescue.ts';
import { cleaned } from './without-secrets.ts';

test.each(standInKinds)(
  'an archive of the kind %s that was said to hold no passwords is cleaned of them',
  async (kind) => {
    const rig = await standInRig(standIns[kind], 'serial');
    const driver = await rig.open();
    const whole = unwrap(await rig.until(rescue(driver, { clock: rig.clock, withSecrets: true })));
    expect(cleaned(whole)).toBeUndefined();
    // As a filter that knew no names has left it.
    const made = cleaned({ ...whole, secrets: 'left-out' });
    expect(made?.found).toEqual(expect.arrayContaining(['wlan.passkey', 'join.script']));
    if (!made) return;
    const text = JSON.stringify(made.archive, (_key, part) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('latin1') : part,
    );
    expect(planted.filter((secret) => text.includes(secret))).toEqual([]);
    expect(packArchive(made.archive).length).toBeGreaterThan(0);
    expect(cleaned(made.archive)).toBeUndefined();
  },
);
