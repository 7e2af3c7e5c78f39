import { type Clock, type Random, sleep } from '@moorage/base';
import type { Login } from '@moorage/device';
import type { Module } from '@moorage/module';
import type { Power } from './power.ts';
import type { GroupSettings } from './scenario.ts';

interface HostParts {
  readonly module: Module;
  readonly clock: Clock;
  readonly power: Power;
  readonly random: Random;
  readonly settings: NonNullable<GroupSettings['host']>;
  readonly login: Login;
  /** Takes what the module has refused. */
  readonly trouble: (message: string) => void;
}

const file = 'fleet.json';
const highestSample = 1_000;
const capabilities = Buffer.from(
  JSON.stringify({
    name: 'Fleet module',
    version: '1.0.0',
    streams: { level: { type: 'number', min: 0, max: highestSample } },
  }),
);
const usualMessageBytes = 64;

/** Activates the data cloud once, then writes samples and messages for as long as the board has power. */
export async function runHost(parts: HostParts): Promise<void> {
  const { login, module, random, settings, trouble } = parts;
  if (!module.cloud.activated) {
    if (!module.flash.stat(file)) await run(parts, `file_create ${file} ${capabilities.length}`, capabilities);
    const activated = await module.cloud.activate(login, file);
    if (!activated.ok) {
      const { error } = activated;
      // The next start of the module tries again.
      trouble(`The data cloud is not activated: ${error.kind === 'service' ? error.error.message : error.kind}`);
      return;
    }
  }
  repeat(parts, settings.samples_every_s, async () => {
    await run(parts, `cloud_write level,${random.below(highestSample)}`);
    await run(parts, 'cloud_sync push');
  });
  repeat(parts, settings.messages_every_s, async () => {
    const bytes = Buffer.alloc(settings.message_bytes ?? usualMessageBytes, 'm');
    const handle = await run(parts, 'cloud_message post');
    if (handle === undefined) return;
    await run(parts, `stream_write ${handle} ${bytes.length}`, bytes);
    await run(parts, `stream_close ${handle}`);
  });
}

/** Types a line at the module. Returns its text; `undefined` when it has refused, which is a trouble. */
async function run({ module, trouble }: HostParts, line: string, data?: Uint8Array): Promise<string | undefined> {
  const { code, text } = await module.execute(line, data);
  if (code === 0) return text;
  trouble(`"${line}" answered ${code} ${text}`);
  return undefined;
}

function repeat(parts: HostParts, everyS: number | undefined, task: () => Promise<void>): void {
  const { clock, module, power, trouble } = parts;
  if (everyS === undefined) return;
  const again = async (): Promise<void> => {
    await power.run(() => sleep(clock, everyS * 1000));
    // The host sleeps with its module.
    if (module.power.state === 'on') {
      await power.run(task).catch((error: unknown) => trouble(error instanceof Error ? error.message : String(error)));
    }
    if (module.power.state !== 'off') void again();
  };
  void again();
}
