import { type HubMessage, LiveHub, type Subscription } from './live-hub.ts';

/** The worker that all pages of a browser share: it holds their event stream. */
const hub = new LiveHub();

addEventListener('connect', (event) => {
  // Safe: a shared worker is handed one port with each page.
  const port = (event as MessageEvent).ports[0] as MessagePort;
  const page = (message: HubMessage): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<Subscription>) => hub.subscribe(page, data);
});
