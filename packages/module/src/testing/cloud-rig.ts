import type { Store } from '@moorage/base';
import type { MemoryStore } from '@moorage/base/store/memory';
import { rigCapabilities } from '@moorage/device/testing/capabilities';
import { clientRig } from './client-rig.ts';

type Powered = Awaited<ReturnType<Awaited<ReturnType<typeof clientRig>>['powerOn']>>;

/** A module with a capabilities file, and a service peer; `run` gives the log lines of a command, its code and its text. */
export async function cloudRig<S extends Store = MemoryStore>(options: Parameters<typeof clientRig<S>>[0] = {}) {
  const rig = await clientRig(options);
  const runOn = async ({ module, printed }: Powered, line: string, data?: string | Uint8Array): Promise<string[]> => {
    printed.length = 0;
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const { code, text } = await rig.until(module.execute(line, bytes));
    return [...printed, `${code} ${text}`];
  };
  const run = (line: string, data?: string | Uint8Array) => runOn(rig, line, data);
  const writeFile = (name: string, content: string) => run(`file_create ${name} ${content.length}`, content);
  await writeFile('caps.json', JSON.stringify(rigCapabilities));
  return { ...rig, run, runOn, writeFile };
}

/** The same, activated, and with its network up. */
export async function activeRig<S extends Store = MemoryStore>(options: Parameters<typeof clientRig<S>>[0] = {}) {
  const rig = await cloudRig(options);
  const answer = await rig.run('cloud_activate ada secret caps.json');
  if (answer.at(-1) !== '0 Success') throw new Error(answer.join('\n'));
  rig.peer.requests.length = 0;
  return rig;
}
