import type { DeviceEvent } from '@moorage/api';
import { after } from '../browser/time.ts';

/** How soon a stream that the browser has given up is opened again, in ms. */
const reopenMs = 2_000;

/** Devices that the service lets one stream follow; of those beyond it the news of the whole fleet tell. */
export const followedLimit = 50;

/** What a page follows: the devices that it shows; undefined when it needs nothing, as in the background. */
export type Subscription = { readonly devices: readonly string[] } | undefined;

/** What a page hears from the hub. */
export type HubMessage =
  /** `again`: the stream was not there for a while, and what happened meanwhile was missed. */
  | { readonly kind: 'open'; readonly again: boolean }
  /** `refused`: not the network, but the service; the session may be over. */
  | { readonly kind: 'lost'; readonly refused: boolean }
  | { readonly kind: 'log'; readonly type: string }
  | ({ readonly kind: 'device' } & DeviceEvent);

/** A page that listens. */
type Page = (message: HubMessage) => void;

/**
 * Holds one event stream for all pages of a browser, which gives each host six connections alone, and hands round what
 * comes. It follows the devices that any of them shows; without pages in the foreground it lets go.
 */
export class LiveHub {
  readonly #subscriptions = new Map<Page, NonNullable<Subscription>>();
  /** The one that is wanted, and the one that is open: another until the first has taken its place. */
  #source: EventSource | undefined;
  #open: EventSource | undefined;
  #followed: string | undefined;
  #wasLost = false;
  #cancel = (): void => {};

  /** Changes what a page follows. A page that leaves follows nothing. */
  subscribe(page: Page, subscription: Subscription): void {
    if (subscription) this.#subscriptions.set(page, subscription);
    else this.#subscriptions.delete(page);
    this.#follow();
    // It comes to a stream that is there already.
    if (subscription && this.#open) page({ kind: 'open', again: false });
  }

  #follow(): void {
    const devices = [...this.#subscriptions.values()].flatMap((one) => one.devices);
    const followed =
      this.#subscriptions.size === 0 ? undefined : [...new Set(devices)].slice(0, followedLimit).sort().join(',');
    if (followed === this.#followed) return;
    this.#followed = followed;
    // The new stream takes the place of the old one when it is open, so that nothing falls between them.
    if (followed === undefined) this.#close();
    else this.#connect(followed);
  }

  #connect(devices: string): void {
    this.#cancel();
    if (this.#source !== this.#open) this.#source?.close();
    const source = new EventSource(devices === '' ? '/api/events' : `/api/events?devices=${devices}`);
    this.#source = source;
    source.onopen = () => {
      if (this.#open !== source) this.#open?.close();
      this.#open = source;
      this.#notify({ kind: 'open', again: this.#wasLost });
      this.#wasLost = false;
    };
    source.onerror = () => this.#lost(source);
    source.addEventListener('log', ({ data }) => this.#notify({ kind: 'log', type: JSON.parse(data).type }));
    // Whatever they were about: a type that is not known renews everything.
    source.addEventListener('left_out', () => this.#notify({ kind: 'log', type: 'left_out' }));
    source.addEventListener('device', ({ data }) => {
      if (this.#open === source) this.#notifyOf(JSON.parse(data));
    });
  }

  #lost(source: EventSource): void {
    // Before the other one is open, its place is only being taken.
    if (this.#source !== source) return;
    if (this.#open !== source) this.#open?.close();
    this.#open = undefined;
    this.#wasLost = true;
    // The browser comes back by itself after a cut, but not after a refusal.
    const refused = source.readyState === EventSource.CLOSED;
    this.#notify({ kind: 'lost', refused });
    if (refused) this.#cancel = after(reopenMs, () => this.#connect(this.#followed ?? ''));
  }

  #close(): void {
    this.#cancel();
    this.#source?.close();
    this.#open?.close();
    this.#source = undefined;
    this.#open = undefined;
  }

  #notify(message: HubMessage): void {
    for (const page of this.#subscriptions.keys()) page(message);
  }

  #notifyOf(event: DeviceEvent): void {
    for (const [page, { devices }] of this.#subscriptions) {
      if (devices.includes(event.device_id)) page({ kind: 'device', ...event });
    }
  }
}
