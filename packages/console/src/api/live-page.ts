import type { LiveEventType } from '@moorage/api';
import { after } from '../browser/time.ts';
import { type HubMessage, LiveHub, type Subscription } from './live-hub.ts';

/** How long a page in the background keeps what it needs, in ms: who looks at another one for a moment misses nothing. */
const backgroundMs = 30_000;

/** Joins the pages of this browser at their hub. Where workers cannot be shared each page has a hub of its own. */
function joinHub(page: (message: HubMessage) => void): (subscription: Subscription) => void {
  if (typeof SharedWorker === 'undefined') {
    const hub = new LiveHub();
    return (subscription) => hub.subscribe(page, subscription);
  }
  const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' });
  port.onmessage = ({ data }: MessageEvent<HubMessage>) => page(data);
  return (subscription) => port.postMessage(subscription);
}

type DeviceListener = (type: LiveEventType, data: unknown) => void;

/** What this page needs of the event stream of its browser. */
export class LivePage {
  readonly #listeners = new Set<{ readonly deviceId: string; readonly listener: DeviceListener }>();
  readonly #send: (subscription: Subscription) => void;
  #away = false;
  #missed = false;
  #cancel = (): void => {};

  /** `onMessage` hears of the stream and of logs; `again` also when this page was in the background. */
  constructor(onMessage: (message: Exclude<HubMessage, { readonly kind: 'device' }>) => void) {
    this.#send = joinHub((message) => {
      if (message.kind === 'device') this.#notify(message.device_id, message.type, message.data);
      else if (message.kind !== 'open') onMessage(message);
      else {
        onMessage({ ...message, again: message.again || this.#missed });
        this.#missed = false;
      }
    });
    this.#subscribe();
    document.addEventListener('visibilitychange', this.#visibility);
    // A page that is closed says so; a worker is told by nothing else.
    window.addEventListener('pagehide', this.#leave);
    window.addEventListener('pageshow', this.#visibility);
  }

  /** Follows what a device does. Returns a function that ends it. */
  follow(deviceId: string, listener: DeviceListener): () => void {
    const entry = { deviceId, listener };
    this.#listeners.add(entry);
    this.#subscribe();
    return () => {
      this.#listeners.delete(entry);
      this.#subscribe();
    };
  }

  close(): void {
    this.#leave();
    document.removeEventListener('visibilitychange', this.#visibility);
    window.removeEventListener('pagehide', this.#leave);
    window.removeEventListener('pageshow', this.#visibility);
  }

  #subscribe(): void {
    if (!this.#away) this.#send({ devices: [...new Set(Array.from(this.#listeners, ({ deviceId }) => deviceId))] });
  }

  readonly #leave = (): void => {
    this.#cancel();
    this.#away = true;
    this.#missed = true;
    this.#send(undefined);
  };

  readonly #visibility = (): void => {
    this.#cancel();
    if (document.visibilityState === 'hidden') this.#cancel = after(backgroundMs, this.#leave);
    else if (this.#away) {
      this.#away = false;
      this.#subscribe();
    }
  };

  #notify(deviceId: string, type: LiveEventType, data: unknown): void {
    for (const entry of this.#listeners) if (entry.deviceId === deviceId) entry.listener(type, data);
  }
}
