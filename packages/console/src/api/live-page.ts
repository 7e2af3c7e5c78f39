import type { LiveEventType } from '@moorage/api';
import { after } from '../ui/time.ts';
import { LiveHub, type News, type Wish } from './live-hub.ts';

/** How long a page in the background keeps what it needs, in ms: who looks at another one for a moment misses nothing. */
const backgroundMs = 30_000;

/** Joins the pages of this browser at their hub. Where workers cannot be shared each page has a hub of its own. */
function joinHub(page: (news: News) => void): (wish: Wish) => void {
  if (typeof SharedWorker === 'undefined') {
    const hub = new LiveHub();
    return (wish) => hub.wish(page, wish);
  }
  const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' });
  port.onmessage = ({ data }: MessageEvent<News>) => page(data);
  return (wish) => port.postMessage(wish);
}

type DeviceListener = (type: LiveEventType, data: unknown) => void;

/** What this page needs of the event stream of its browser. */
export class LivePage {
  readonly #listeners = new Set<{ readonly deviceId: string; readonly listener: DeviceListener }>();
  readonly #send: (wish: Wish) => void;
  #away = false;
  #missed = false;
  #cancel = (): void => {};

  /** `onNews` hears of the stream and of logs; `again` also when this page was in the background. */
  constructor(onNews: (news: Exclude<News, { readonly kind: 'device' }>) => void) {
    this.#send = joinHub((news) => {
      if (news.kind === 'device') this.#notify(news.device_id, news.type, news.data);
      else if (news.kind !== 'open') onNews(news);
      else {
        onNews({ ...news, again: news.again || this.#missed });
        this.#missed = false;
      }
    });
    this.#wish();
    document.addEventListener('visibilitychange', this.#visibility);
    // A page that is closed says so; a worker is told by nothing else.
    window.addEventListener('pagehide', this.#leave);
    window.addEventListener('pageshow', this.#visibility);
  }

  /** Follows what a device does. Returns what ends it. */
  follow(deviceId: string, listener: DeviceListener): () => void {
    const entry = { deviceId, listener };
    this.#listeners.add(entry);
    this.#wish();
    return () => {
      this.#listeners.delete(entry);
      this.#wish();
    };
  }

  close(): void {
    this.#leave();
    document.removeEventListener('visibilitychange', this.#visibility);
    window.removeEventListener('pagehide', this.#leave);
    window.removeEventListener('pageshow', this.#visibility);
  }

  #wish(): void {
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
      this.#wish();
    }
  };

  #notify(deviceId: string, type: LiveEventType, data: unknown): void {
    for (const entry of this.#listeners) if (entry.deviceId === deviceId) entry.listener(type, data);
  }
}
