import type { Client } from '@moorage/api';
import type { DeviceEvent, provisionStatus } from '@moorage/device';
import type { Module } from '@moorage/module';
import type { Reporter } from '../command-line/output.ts';
import { type Example, must } from './example.ts';
import { ensureCapabilities } from './example-data.ts';

/** What leads a module from the factory to its first update. Each step is left out when it is done already. */
export interface Adoption {
  readonly client: Client;
  readonly module: Module;
  readonly example: Example;
  readonly reporter: Reporter;
  /** PEM text of the service's certificate authority. */
  readonly ca: string;
  /** Whose device the module becomes at the data cloud; undefined when the password is not known any more. */
  readonly account: Login | undefined;
}

/** Name and password of an account of the service. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Value of `dms.provision.status` that needs nothing more. */
const provisioningComplete: (typeof provisionStatus)['complete'] = 3;

/** Types a line at the module, as a host would, and shows it; throws with what the module said when it refuses. */
async function type({ module, reporter }: Adoption, line: string, shown = line): Promise<void> {
  reporter.say(`  > ${shown}`);
  const { code, text } = await module.execute(line);
  if (code === 0) return;
  throw new Error(`The module answered "${text}" (code ${code}) to "${shown}": ${module.log.entries().at(-1) ?? ''}`);
}

/** Leads the module through everything that it still lacks, and resolves when the service has recorded its update. */
export async function adoptModule(adoption: Adoption, network: { ssid: string; passkey: string }): Promise<void> {
  await joinNetwork(adoption, network);
  await provision(adoption);
  await claimAndActivate(adoption);
  await update(adoption);
}

async function joinNetwork(adoption: Adoption, network: { ssid: string; passkey: string }): Promise<void> {
  if (adoption.module.variables.get('wlan.ssid') !== '') return;
  await type(adoption, `set wlan.ssid "${network.ssid}"`);
  if (network.passkey !== '') await type(adoption, `set wlan.passkey "${network.passkey}"`);
  await type(adoption, 'set wlan.auto_join.enabled 1');
  await type(adoption, 'save');
}

/** The service makes a token; the module exchanges it for its certificate and key. */
async function provision({ client, module, example, reporter, ca }: Adoption): Promise<void> {
  if (module.client.provisionStatus === provisioningComplete) return;
  const { uuid, mac } = module.identity;
  const known = await client.call('devices.get', { params: { identifier: uuid } });
  const token = known.ok
    ? // A start that was cut has taken the first token with it.
      must(await client.call('devices.renewToken', { params: { device_id: known.value.value.id } })).token
    : must(await client.call('devices.provision', { body: { uuid, platform_id: example.platform.id, mac } })).token;
  const done = await module.client.provision(token, ca);
  if (!done.ok) throw new Error(`The module could not be provisioned: ${done.error.message}`);
  reporter.event('provisioned', { uuid }, 'Provisioned: certificate and key are in its flash');
}

/** An activation token claims the module for the product's owner and activates it in one command. */
async function claimAndActivate(adoption: Adoption): Promise<void> {
  const { client, module, example, reporter } = adoption;
  const { uuid } = module.identity;
  const device = must(await client.call('devices.get', { params: { identifier: uuid } }));
  const { product } = example;
  if (device.user_id === null) {
    const made = must(
      await client.call('products.addToken', { params: { product_id: product.id }, body: { uses: 1 } }),
    );
    await type(adoption, `dms claim ${product.product} ${made.token}`, `dms claim ${product.product} ********`);
    reporter.event('claimed', { uuid, user: product.user }, `Claimed for ${product.user}`);
  }
  if (device.user_id === null || device.product_id !== product.id) {
    await type(adoption, `dms activate ${product.product}`);
    reporter.event('activated', { uuid, product: product.product }, `Activated to ${product.product}`);
  }
}

/**
 * From its next start on the module listens to the service: it updates itself when a tag is moved, takes commands from
 * the console, and sends what it measures. Said before the first update alone: who switches it off wants it to stay so.
 */
async function listen(adoption: Adoption): Promise<void> {
  const measures = await activateData(adoption);
  await type(adoption, 'set dms.auto_start_enabled 1');
  await type(adoption, 'set dms.cmd.enabled 1');
  if (measures) await type(adoption, 'set cloud.solo.enabled 1');
  await type(adoption, 'save');
}

/** Takes the module to the data cloud, with the capabilities file of its product. False when it stays away from it. */
async function activateData(adoption: Adoption): Promise<boolean> {
  const { client, module, example, reporter, account } = adoption;
  if (module.cloud.activated) return true;
  if (!account) {
    reporter.say('The password is not known any more: the module measures nothing until it is told "cloud_activate"');
    return false;
  }
  await ensureCapabilities(client, example.product);
  await type(adoption, 'cloud_capabilities download -s');
  // What the script has set is kept before the activation is: a start that is cut takes up the one or the other.
  await type(adoption, 'save');
  reporter.say(`  > cloud_activate ${account.username} ********`);
  // Not as a line: there are passwords that no line can hold.
  const activated = await module.cloud.activate(account, module.variables.get('cloud.capabilities'));
  if (activated.ok) return true;
  const { error } = activated;
  reporter.say(`The module measures nothing: ${error.kind === 'service' ? error.error.message : error.kind}`);
  return false;
}

/** Runs `ota` unless the device has what the service would give it; waits until the restarted module is heard. */
async function update(adoption: Adoption): Promise<void> {
  const { client, module, reporter } = adoption;
  const { uuid } = module.identity;
  const device = must(await client.call('devices.get', { params: { identifier: uuid } }));
  if (device.bundle_ok) return;
  await listen(adoption);
  const landed = watchUpdate(adoption);
  // A module that was killed between its restart and its report makes up for it by itself.
  if (!module.client.reportPending) await type(adoption, 'ota');
  await landed;
  const updated = must(await client.call('devices.get', { params: { identifier: uuid } }));
  if (!updated.bundle_ok) throw new Error(`The service did not record the update: ${updated.bversion ?? 'no version'}`);
  const { bundle_id, bundle: version, bversion } = updated;
  reporter.event('updated', { uuid, bundle_id, version, bversion }, `Updated: the module runs and reports ${bversion}`);
}

/** Shows what happens on the link until the update has landed or failed. */
function watchUpdate({ module, reporter }: Adoption): Promise<void> {
  return new Promise((resolve, reject) => {
    let bar: DownloadBar | undefined;
    const unwatch = module.client.onEvent((event) => {
      if (event.type === 'ota') {
        const { bundleId: bundle_id, version, totalBytes: total_bytes, files } = event;
        const prose = `Update to ${version}: ${files} files, ${total_bytes} bytes`;
        reporter.event('ota', { bundle_id, version, total_bytes, files }, prose);
        bar = downloadBar(reporter, total_bytes);
      }
      if (event.type === 'progress') bar?.at(event);
      if (event.type === 'installed') {
        bar?.end('  all files are in the flash, their CRCs are right');
        reporter.event('installed', { bversion: event.bversion }, 'Installed; the module restarts');
      }
      if (event.type !== 'updated' && event.type !== 'current' && event.type !== 'failed') return;
      unwatch();
      if (event.type !== 'failed') resolve();
      else reject(new Error(`The update failed with result ${event.result}: ${event.message}`));
    });
  });
}

interface DownloadBar {
  at(progress: Extract<DeviceEvent, { type: 'progress' }>): void;
  end(text: string): void;
}

/** One bar over all files of an update. */
function downloadBar(reporter: Reporter, totalBytes: number): DownloadBar {
  const progress = reporter.progress('download', totalBytes);
  const received = new Map<string, number>();
  return {
    at({ file, receivedBytes }) {
      received.set(file, receivedBytes);
      progress.at([...received.values()].reduce((sum, bytes) => sum + bytes, 0));
    },
    end: (text) => progress.end(text),
  };
}
