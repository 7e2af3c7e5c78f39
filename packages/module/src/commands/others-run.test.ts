import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { networkRig } from '../testing/network-rig.ts';
import { allCommands } from './index.ts';

/** Commands that take the module from all, or end what is theirs: nothing could run meanwhile. */
const endings = new Set(['factory_reset', 'force_safemode', 'format_flash', 'reboot', 'sleep', 'network_restart']);

// Spec: MOD-RULE-serial. A command that is waited for has to say so: then others run meanwhile, and Ctrl-C ends it.
test.each(allCommands.filter(({ name, waitsFor }) => waitsFor === undefined && !endings.has(name)))(
  '$name is done without waiting for anything',
  async ({ announces, example = '', name }) => {
    const rig = await networkRig();
    const stuck = rig.network.attach('stuck', '10.5.6.4');
    unwrap(await stuck.listen(80, ({ stream }) => void stream.pause()));
    await rig.join();
    await rig.runAll('http_get -o stuck/a', 'tcp_client stuck 80');
    const done = rig.run(example || name, announces && 'x'.repeat(100));
    const first = await Promise.race([done, rig.pass(0).then(() => 'waits')]);
    expect(first).not.toBe('waits');
  },
);
