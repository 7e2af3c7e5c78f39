import type { Capabilities, DeviceRecord } from '@moorage/api';
import { openQuay, type Quay } from './harness.ts';
import { openSerialLine, type SerialLine } from './serial-line.ts';

/** A module that has everything a device page shows. */
export interface DeviceScene {
  readonly quay: Quay;
  readonly device: DeviceRecord;
  readonly line: SerialLine;
  /** Path of a tab. */
  path(tab?: string): string;
  close(): Promise<void>;
}

const capabilities: Capabilities = {
  name: 'Tide gauge',
  version: '1.0.0',
  streams: {
    level: { title: 'Water level', type: 'number', units: 'm', min: -2, max: 8 },
    status: { title: 'Status', type: 'string' },
  },
  controls: {
    lamp: { title: 'Lamp', type: 'number', units: '%', min: 0, max: 100, default: 0 },
    mode: { title: 'Mode', type: 'string', default: 'auto' },
    pump: { title: 'Pump', type: 'number', min: 0, max: 1, default: 0 },
  },
  messages: { 'to-device': true, 'from-device': true },
};

/** Starts the service with its example module, and takes that to the data cloud and onto the message channel. */
export async function openDeviceScene(options: Parameters<typeof openQuay>[0] = {}): Promise<DeviceScene> {
  const quay = await openQuay({ ...options, serial: 'tcp:127.0.0.1:0' });
  const line = await openSerialLine(quay.serial);
  const found = await quay.client.call('devices.get', { params: { identifier: quay.uuid } });
  if (!found.ok) throw new Error(found.error.body.message);
  const device = found.value.value;
  const file = JSON.stringify(capabilities);
  const account = `${quay.administrator.email} "${quay.administrator.password}"`;
  // The example measures by itself; here every sample is one that the test has sent.
  await line.run('set cloud.solo.enabled 0');
  await line.run('save');
  await line.run(`cloud_deactivate ${account}`);
  await line.run(`file_create caps.json ${file.length}`, file);
  await line.run(`cloud_activate ${account} caps.json`);
  return {
    quay,
    device,
    line,
    path: (tab = '') => `/devices/${device.id}${tab && `/${tab}`}`,
    async close() {
      line.close();
      await quay.close();
    },
  };
}

/** Waits until the service knows whether the module is on the message channel. */
async function untilOnline({ line, quay, device }: DeviceScene, online: boolean): Promise<void> {
  for (;;) {
    const status = await quay.client.call('channel.status', { params: { device_id: device.id } });
    if (status.ok && status.value.value.online === online) return;
    await line.run('version');
  }
}

/** Leaves its network, and the message channel with it. */
export async function goOffline(scene: DeviceScene): Promise<void> {
  await scene.line.run('network_down');
  await untilOnline(scene, false);
}

/** Joins its network and comes back to the message channel, where it takes commands. */
export async function goOnline(scene: DeviceScene): Promise<void> {
  await scene.line.run('set dms.cmd.enabled 1');
  await scene.line.run('network_up');
  await untilOnline(scene, true);
}
