import type { Bus } from './bus.ts';

/** What the parts of the service tell each other of devices, in all processes. Sent after the transaction. */
export interface Signals {
  /** One device, or those of a product, may have an update to fetch. Spec: API-CHAN-wake. */
  readonly 'ota.due': { readonly deviceId?: string; readonly productId?: string };
  /** The device has been disabled, or its certificate taken back: its connections end. Spec: API-DEV-revoked. */
  readonly 'device.revoked': { readonly deviceId: string; readonly uuid?: string };
  /** The device has another certificate now: connections that were opened with any other end. */
  readonly 'device.renewed': { readonly deviceId: string; readonly uuid: string; readonly certificate: string };
  /** The device has been activated to another product. */
  readonly 'device.moved': { readonly deviceId: string; readonly productId: string };
}

export const signal = <T extends keyof Signals>(bus: Bus, topic: T, message: Signals[T]): void =>
  bus.publish(topic, message);

/** Hears of every message of a topic from now on; the answer ends it. */
export const onSignal = <T extends keyof Signals>(
  bus: Bus,
  topic: T,
  listener: (message: Signals[T]) => void,
): (() => void) =>
  // Safe: nothing else is published under these topics.
  bus.subscribe(topic, (message) => listener(message as Signals[T]));
