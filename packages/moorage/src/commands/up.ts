import { join, resolve } from 'node:path';
import { createClient } from '@moorage/api';
import { realClock } from '@moorage/base';
import { defaultAir } from '@moorage/module/wlan/air';
import { firstAdministrator, issueToken, revokeToken } from '@moorage/service/administration';
import { throwingClient } from '../client/service-client.ts';
import { type CliCall, UserError } from '../command-line/define.ts';
import { onHangup, stopOnSignal } from '../command-line/lifecycle.ts';
import type { Resolved } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { shellWord } from '../command-line/shell.ts';
import { NoSerialError, type Preparation, type RunningModule, startModule } from '../module/run.ts';
import { reload, watchFiles } from '../service/reload.ts';
import { type RunningService, startService } from '../service/run.ts';
import { storageTrouble } from '../service/trouble.ts';
import { adoptModule, type Login } from '../up/adopt.ts';
import { ensureExample } from '../up/example.ts';
import { connectHarbour } from '../up/example-data.ts';
import { readAdoptions, startGateway } from './gateway-run.ts';
import { moduleSettings } from './module.ts';
import { administratorNotice, readServiceSettings } from './serve.ts';
import type { upOptions } from './up-options.ts';

/** The network of the default air that the example module joins. */
const network = defaultAir.accessPoints.find((point) => point.passkey !== undefined);

/** Where the module dials: `localhost` and the like stay, and a listener on all addresses is reached on loopback. */
const serviceUrl = (devices: string): string => devices.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');

/** A token of the first administrator, for what the program itself does. */
async function administratorToken({ service: { deps } }: RunningService, title: string) {
  const administrator = await firstAdministrator(deps.storage.db);
  if (!administrator) throw new Error('The service has no administrator');
  const { token, row } = await issueToken(deps, administrator.id, title);
  return { token, revoke: () => revokeToken(deps, row.id) };
}

/** Makes example data and adopts the module, with a token of the administrator that lives no longer than this. */
async function rehearse(
  service: RunningService,
  { module }: RunningModule,
  reporter: Reporter,
  account: Login | undefined,
): Promise<void> {
  const { token, revoke } = await administratorToken(service, 'moorage up');
  try {
    const baseUrl = service.addresses.api;
    // A certificate is for the public name, which may lead elsewhere: over TLS the service is asked in this process.
    const client = createClient({
      baseUrl,
      token,
      ...(baseUrl.startsWith('https:') && { fetch: service.service.fetch }),
    });
    const example = await ensureExample(client, module.model.partId);
    const { ssid = '', passkey = '' } = network ?? {};
    await adoptModule(
      { client, module, example, reporter, ca: service.service.identity.ca, account },
      { ssid, passkey },
    );
  } finally {
    await revoke();
  }
}

/** Stands for real modules, under the data folder, with a token of the administrator that lives as long as it does. */
async function startOwnGateway(
  ip: string,
  adoptions: Awaited<ReturnType<typeof readAdoptions>>,
  dataDir: string,
  service: RunningService,
  own: RunningModule,
  reporter: Reporter,
): Promise<{ readonly stop: () => Promise<void> }> {
  const { api, devices } = service.addresses;
  const { token, revoke } = await administratorToken(service, 'moorage up --gateway');
  const login = async () => throwingClient(api, token, [], service.service.fetch);
  const settings = {
    folder: join(dataDir, 'gateway'),
    ip,
    service: serviceUrl(devices),
    known: [own.addresses.mac],
  };
  try {
    const gateway = await startGateway(settings, adoptions, reporter, login);
    const { size: modules } = gateway;
    reporter.event('gateway', { modules }, `The gateway stands for ${modules} module${modules === 1 ? '' : 's'}`);
    return { stop: () => gateway.stop().finally(revoke) };
  } catch (error) {
    await revoke();
    throw error;
  }
}

/**
 * The module, its flash under the data folder. Its serial line is a pseudo-terminal there as well, unless the options
 * say otherwise; a machine that has none to give gets a TCP port instead, with a notice.
 */
async function startExampleModule(
  options: Resolved<typeof upOptions>,
  dataDir: string,
  service: RunningService,
  reporter: Reporter,
): Promise<RunningModule> {
  const place = { flash: join(dataDir, 'module'), service: serviceUrl(service.addresses.devices) };
  const serial = options.serial ?? `pty:${join(dataDir, 'serial')}`;
  const preparation: Preparation = {
    onLog: (line) => reporter.say(`  module: ${line}`),
    connect: (module) => connectHarbour(module, realClock.now()),
  };
  try {
    return await startModule(moduleSettings({ ...options, serial }, place), preparation);
  } catch (error) {
    if (options.serial !== undefined || !(error instanceof NoSerialError)) throw error;
    reporter.say(`${error.message}\nThe serial line is a TCP port instead.`);
    return await startModule(moduleSettings({ ...options, serial: 'tcp:127.0.0.1:0' }, place), preparation);
  }
}

/** What a person does next, at the end of the output. */
function summary(
  { api, console, devices, deviceNames }: RunningService['addresses'],
  { serial, http, mac }: RunningModule['addresses'],
  taken: Awaited<ReturnType<RunningModule['takenPorts']>>,
): string {
  const page = http ?? taken.http;
  const rows = [
    ['Console', console],
    ['API', api],
    ['API documentation', `${api}/docs`],
    ['Devices call', devices],
    ['under the names', deviceNames.join(', ')],
    ...(page === undefined ? [] : [["Module's web page", page]]),
    ...(serial === null ? [] : [['Serial line', `${serial} of module ${mac}`]]),
    ...(serial?.startsWith('/') ? [['Open it with', `screen ${shellWord(serial)}`]] : []),
    ...(serial?.startsWith('tcp:') ? [['Open it with', `nc ${serial.slice(4).replace(':', ' ')}`]] : []),
  ];
  return [
    '',
    ...rows.map(([name = '', value]) => `  ${name.padEnd(18)} ${value}`),
    '',
    'Ctrl-C stops both; everything is kept.',
  ].join('\n');
}

/** The whole of `moorage up`, until it is stopped by a signal. */
export async function runUp({ options, sources, reporter, json }: CliCall<typeof upOptions>): Promise<void> {
  const settings = readServiceSettings(sources);
  const adoptions = await readAdoptions(options);
  if (!options.gateway && adoptions.addresses.length > 0)
    throw new UserError('Option --adopt has no use without --gateway', 2);
  const notice = administratorNotice(reporter, json, settings);
  const { adminEmail: username, adminPassword } = settings;
  let account: Login | undefined = adminPassword === undefined ? undefined : { username, password: adminPassword };
  const announce = (email: string, password: string): void => {
    account = { username: email, password };
    notice.announce(email, password);
  };
  const watch = watchFiles(settings, sources);
  const service = await startService(settings, announce, { listenLan: options['listen-lan'] });
  const module = await startExampleModule(options, resolve(settings.data), service, reporter).catch(
    async (error: unknown) => {
      await service.stop();
      throw error;
    },
  );
  // The example has its web page on; what a person has changed since stays so.
  const { variables } = module.module;
  if (variables.get('wlan.ssid') === '') variables.set('http.server.enabled', true);
  let stopping = false;
  let gateway: Awaited<ReturnType<typeof startOwnGateway>> | undefined;
  const stop = async (): Promise<void> => {
    stopping = true;
    await gateway?.stop();
    await module.stop();
    await service.stop();
  };
  await service.watchData(stopOnSignal(stop));
  const reloading = { service: service.service, reporter, sources, read: readServiceSettings };
  onHangup(() => reload(reloading));
  watch(reloading);
  await module.takenPorts();
  reporter.event(
    'ready',
    { ...service.addresses, ...module.addresses },
    `Service and module ${module.addresses.mac} are up`,
  );
  notice.flush();
  try {
    await rehearse(service, module, reporter, account);
    const [ip, dataDir] = [options['gateway-ip'], resolve(settings.data)];
    if (options.gateway) gateway = await startOwnGateway(ip, adoptions, dataDir, service, module, reporter);
  } catch (error) {
    // A stop cuts what is under way; the next start goes on with it.
    if (stopping) return;
    await stop();
    throw storageTrouble(error, settings.database);
  }
  const taken = await module.takenPorts();
  if (!stopping) reporter.say(summary(service.addresses, module.addresses, taken));
}
