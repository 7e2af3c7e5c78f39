import { LiveHub, type News, type Wish } from './live-hub.ts';

/** The worker that all pages of a browser share: it holds their event stream. */
const hub = new LiveHub();

addEventListener('connect', (event) => {
  // Safe: a shared worker is handed one port with each page.
  const port = (event as MessageEvent).ports[0] as MessagePort;
  const page = (news: News): void => port.postMessage(news);
  port.onmessage = ({ data }: MessageEvent<Wish>) => hub.wish(page, data);
});
