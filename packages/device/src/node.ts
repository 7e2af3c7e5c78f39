import { randomUUID } from 'node:crypto';
import { realClock, seededRandom } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { nodeNet } from '@moorage/net/node';
import { createDevice, type Device, type DeviceOptions } from './device.ts';

/** What a device on this computer is made of: its clock and network are the computer's, its memory is a folder. */
export interface NodeDeviceOptions extends Omit<DeviceOptions, 'clock' | 'net' | 'store' | 'random'> {
  /** Folder for what the device keeps, made when it is missing; one process has it at a time. It holds a private key. */
  readonly flash: string;
}

export interface NodeDevice extends Device {
  /** Stops the device and gives the folder back. */
  close(): Promise<void>;
}

/**
 * Makes a device of this computer and starts it, as `createDevice` does.
 *
 * @throws when the folder cannot be used, or another process has it
 */
export async function openDevice({ flash, ...options }: NodeDeviceOptions): Promise<NodeDevice> {
  const store = await DiskStore.open(flash);
  const net = nodeNet({ ip: '0.0.0.0', portOffset: 0, listenLan: false });
  const random = seededRandom(randomUUID());
  const device = await createDevice({ ...options, clock: realClock, net, store, random });
  return {
    ...device,
    async close() {
      device.stop();
      await store.close();
    },
  };
}
