import { unwrap } from '@moorage/base';
import { ChannelPeer } from '@moorage/device/testing/channel-peer';
import { clientRig } from './client-rig.ts';

/** A module with settings of the message channel, on a joined network with a service that has channels. */
export async function channelRig(
  settings: Readonly<Record<string, string>>,
  options: Parameters<typeof clientRig>[0] = {},
) {
  const rig = await clientRig(options);
  const channel = new ChannelPeer(rig.peer);
  const { module, clock, until } = rig;
  for (const [name, value] of Object.entries(settings)) {
    const set = module.variables.assign([name, value]);
    if (!set.ok) throw new Error(`${name}: ${set.error.error}`);
  }
  await module.variables.save();
  /** Lets what is on its way arrive: a handshake and a message take several turns of the event loop, and no time. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await clock.advance(1);
  };
  const join = async () => {
    unwrap(await until(module.wlan.ensureUp('wlan')));
    await settle();
  };
  await join();
  /** Log lines of a command, then its code and text. */
  const run = async (line: string) => {
    rig.printed.length = 0;
    const { code, text } = await until(module.execute(line));
    return [...rig.printed, `${code} ${text}`];
  };
  return { ...rig, channel, settle, join, run };
}
