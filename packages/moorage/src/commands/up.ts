import { join, resolve } from 'node:path';
import { createClient } from '@moorage/api';
import { defaultAir } from '@moorage/module/wlan/air';
import { firstAdministrator, issueToken, revokeToken } from '@moorage/service/auth/accounts';
import { stopOnSignal } from '../lifecycle.ts';
import type { Resolved } from '../options.ts';
import type { Reporter } from '../output.ts';
import { NoSerialError, type RunningModule, startModule } from '../run-module.ts';
import { type RunningService, startService } from '../run-service.ts';
import { adoptModule } from '../up/adopt.ts';
import { ensureExample } from '../up/example.ts';
import { defineCliCommand } from './define.ts';
import { moduleOptions, moduleSettings, serialOption } from './module.ts';
import { administratorNotice, readServiceSettings, withServiceOptions } from './serve.ts';

/** The network of the default air that the example module joins. */
const network = defaultAir.accessPoints.find((point) => point.passkey !== undefined);

/** Where the module dials: `localhost` and the like stay, and a listener on all addresses is reached on loopback. */
const serviceUrl = (devices: string): string => devices.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');

/** Makes example data and adopts the module, with a token of the administrator that lives no longer than this. */
async function rehearse(service: RunningService, { module }: RunningModule, reporter: Reporter): Promise<void> {
  const { deps } = service.service;
  const administrator = await firstAdministrator(deps.storage.db);
  if (!administrator) throw new Error('The service has no administrator');
  const { token, row } = await issueToken(deps, administrator.id, 'moorage up');
  try {
    const client = createClient({ baseUrl: service.addresses.api, token });
    const example = await ensureExample(client, module.model.partId);
    const { ssid = '', passkey = '' } = network ?? {};
    await adoptModule({ client, module, example, reporter, ca: service.service.identity.ca }, { ssid, passkey });
  } finally {
    await revokeToken(deps, row.id);
  }
}

/**
 * The module, its flash under the data folder. Its serial line is a pseudo-terminal there as well, unless the options
 * say otherwise; a machine that has none to give gets a TCP port instead, and is told so.
 */
async function startExampleModule(
  options: Resolved<typeof upOptions>,
  dataDir: string,
  service: RunningService,
  reporter: Reporter,
): Promise<RunningModule> {
  const place = { flash: join(dataDir, 'module'), service: serviceUrl(service.addresses.devices) };
  const serial = options.serial ?? `pty:${join(dataDir, 'serial')}`;
  const onLog = (line: string): void => reporter.say(`  module: ${line}`);
  try {
    return await startModule(moduleSettings({ ...options, serial }, place), onLog);
  } catch (error) {
    if (options.serial !== undefined || !(error instanceof NoSerialError)) throw error;
    reporter.say(`${error.message}\nThe serial line is a TCP port instead.`);
    return await startModule(moduleSettings({ ...options, serial: 'tcp:127.0.0.1:0' }, place), onLog);
  }
}

/** What a person does next, at the end of the output. */
function summary(
  { api, console, devices }: RunningService['addresses'],
  { serial, http, mac }: RunningModule['addresses'],
): string {
  const rows = [
    ['Console', console],
    ['API', api],
    ['API documentation', `${api}/docs`],
    ['Devices call', devices],
    ...(http === null ? [] : [["Module's web page", http]]),
    ...(serial === null ? [] : [['Serial line', `${serial} of module ${mac}`]]),
    ...(serial?.startsWith('/') ? [['Open it with', `screen ${serial}`]] : []),
    ...(serial?.startsWith('tcp:') ? [['Open it with', `nc ${serial.slice(4).replace(':', ' ')}`]] : []),
  ];
  return [
    '',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(18)} ${value}`),
    '',
    'Ctrl-C stops both; everything is kept.',
  ].join('\n');
}

/** As for a module alone, but the serial line has another default. */
const upOptions = {
  ...moduleOptions,
  serial: { ...serialOption, defaultText: 'pty:DIR/serial' },
  // With the offset of a module alone its HTTP server would have the port of the service.
  'port-offset': { ...moduleOptions['port-offset'], default: 8100 },
} as const;

export const upCommand = defineCliCommand({
  name: 'up',
  summary:
    'The whole thing on this machine: service, example data, and one virtual module that is updated over the air',
  options: withServiceOptions(upOptions),
  async run({ options, sources, reporter, json }) {
    const notice = administratorNotice(reporter, json);
    const settings = readServiceSettings(sources);
    const service = await startService(settings, notice.announce, { listenLan: options['listen-lan'] });
    const module = await startExampleModule(options, resolve(settings.dataDir), service, reporter).catch(
      async (error: unknown) => {
        await service.stop();
        throw error;
      },
    );
    // The example has its web page on; what a person has changed since stays so.
    const { variables } = module.module;
    if (variables.get('wlan.ssid') === '') variables.set('http.server.enabled', true);
    stopOnSignal(async () => {
      await module.stop();
      await service.stop();
    });
    reporter.event(
      'ready',
      { ...service.addresses, ...module.addresses },
      `Service and module ${module.addresses.mac} are up`,
    );
    notice.flush();
    await rehearse(service, module, reporter);
    reporter.say(summary(service.addresses, module.addresses));
  },
});
