// A Linux computer as a device of a Moorage service; the README beside this file says how it is started.
import { readFileSync } from 'node:fs';
import { freemem, hostname, loadavg, release, uptime } from 'node:os';
import { openDevice } from '@moorage/device/node';

const { DEVICE_FLASH = 'flash', DEVICE_SERVICE = 'localhost:8443', DEVICE_UUID = '', DEVICE_MAC = '' } = process.env;
const { DEVICE_TELEMETRY_MS = '10000' } = process.env;
const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(DEVICE_SERVICE) ?? [];
/** Says to systemd that the program wants to be started again; nothing has failed. */
const restartCode = 3;

const say = (text) => console.log(text);

const device = await openDevice({
  flash: DEVICE_FLASH,
  identity: { uuid: DEVICE_UUID, mac: DEVICE_MAC },
  service: { host, port: Number(port) },
  version: 'LINUX-0.0.0.0',
  attributes: () => ({ host: hostname(), kernel: release(), node: process.version }),
  // What is installed is in the folder by now, and every start begins with what is there.
  async reboot() {
    say('restarts');
    process.exit(restartCode);
  },
});
const { client, files } = device;

/** The text of an installed file; what the bundles of a product hold is up to their maker. */
async function textOf(name) {
  const content = await files.readAll(name, 64 * 1024);
  return content.ok ? Buffer.from(content.value).toString().trim() : undefined;
}

const ok = (data) => ({ ok: true, value: { code: 0, data } });

/** What the console of the service can ask. */
const commands = {
  uptime: async () => ok(`${Math.floor(uptime())} s`),
  ls: async () =>
    ok(
      files
        .list()
        .flatMap(({ name, size, isSecret }) => (isSecret ? [] : `${size} ${name}`))
        .join('\n'),
    ),
  async cat(name = '') {
    const text = files.stat(name)?.isSecret ? undefined : await textOf(name);
    return text === undefined ? { ok: true, value: { code: 1, data: `There is no ${name}` } } : ok(text);
  },
  help: async () => ok(Object.keys(commands).join(' ')),
};

async function answer(line) {
  const [name = '', ...words] = line.trim().split(/\s+/);
  return Object.hasOwn(commands, name) ? commands[name](...words) : { ok: false, error: `unknown command ${name}` };
}

client.onEvent((event) => {
  if (event.type === 'ota') say(`update to ${event.version}: ${event.files} files, ${event.totalBytes} bytes`);
  else if (event.type === 'progress' && event.receivedBytes === event.totalBytes) say(`fetched ${event.file}`);
  else if (event.type === 'installed' || event.type === 'updated') say(`${event.type} ${event.bversion}`);
  else if (event.type === 'channel') say(event.open ? 'online' : `offline: ${event.reason}`);
  else if (event.type === 'failed') say(`failed: ${event.message}`);
});

/** Makes one request of the set-up, and ends. */
async function once(asked) {
  const done = await asked;
  say(done.ok ? 'done' : done.error.message);
  await device.close();
  process.exitCode = done.ok ? 0 : 1;
}

async function run() {
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void device.close());
  say(
    `runs ${client.installed()?.bversion ?? 'what it came with'}: ${(await textOf('greeting.txt')) ?? 'no greeting'}`,
  );
  device.connect({
    command: answer,
    telemetry: {
      intervalMs: Number(DEVICE_TELEMETRY_MS),
      values: () => ({ uptime: Math.floor(uptime()), load: loadavg()[0], free_bytes: freemem() }),
    },
  });
  // Not waiting to be woken; what goes wrong has been an event.
  await client.ota();
}

const [step, first = '', second = ''] = process.argv.slice(2);
if (step === 'provision') await once(client.provision(first, readFileSync(second, 'utf8')));
else if (step === 'claim') await once(client.claim({ product: first, token: second }));
else if (step === 'activate') await once(client.activate(first));
else await run();
