import type { IncomingMessage } from 'node:http';
import { decode, encode } from '@msgpack/msgpack';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServicePeer } from './service-peer.ts';

export type PeerMessage = Readonly<Record<string, unknown>>;

/** The service's end of message channels, as a script: it records what comes, and sends what the test says. */
export class ChannelPeer {
  /** Handshakes so far, refused ones too. */
  readonly requests: IncomingMessage[] = [];
  /** What has come over all channels. */
  readonly messages: PeerMessage[] = [];
  /** Attributes that devices have reported, which are no part of `messages` and `frames`. */
  readonly attributes: Readonly<Record<string, unknown>>[] = [];
  /** Frames as they came. */
  readonly frames: (string | Uint8Array)[] = [];
  /** Codes with which channels have ended. */
  readonly ends: number[] = [];
  pings = 0;
  /** Status of the answer to handshakes, instead of taking them. */
  refuseWith: number | undefined;
  /** What such an answer names as Retry-After, in seconds. */
  retryAfterS: number | undefined;
  /** Handshakes are not answered at all. */
  silent = false;
  /** Pings are not answered. */
  deaf = false;
  /** Answers what comes; nothing without it. */
  answer: (message: PeerMessage) => PeerMessage | undefined = () => undefined;
  #socket: WebSocket | undefined;
  readonly #handshakes = new WebSocketServer({ noServer: true, clientTracking: false, autoPong: false });

  constructor(peer: ServicePeer) {
    peer.onUpgrade((request, stream, head) => {
      this.requests.push(request);
      stream.on('error', () => {});
      if (this.silent) return;
      if (this.refuseWith !== undefined) {
        const after = this.retryAfterS === undefined ? '' : `retry-after: ${this.retryAfterS}\r\n`;
        stream.end(`HTTP/1.1 ${this.refuseWith} No\r\n${after}content-length: 0\r\nconnection: close\r\n\r\n`);
        return;
      }
      this.#handshakes.handleUpgrade(request, stream, head, (socket) => this.#opened(socket));
    });
  }

  /** Whether a channel is open. */
  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  send(message: PeerMessage, form: 'binary' | 'text' = 'binary'): void {
    this.raw(form === 'text' ? JSON.stringify(message) : encode(message));
  }

  raw(frame: string | Uint8Array): void {
    this.#socket?.send(frame);
  }

  ping(): void {
    this.#socket?.ping();
  }

  close(code: number): void {
    this.#socket?.close(code);
  }

  #opened(socket: WebSocket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (data: Buffer, isBinary) => {
      // Safe: the module sends dictionaries, and a test that looks at another thing fails.
      const message = (isBinary ? decode(data) : JSON.parse(data.toString())) as PeerMessage;
      if (message.request === 'attributes') {
        // Safe likewise.
        this.attributes.push(message.data as Readonly<Record<string, unknown>>);
        return;
      }
      this.frames.push(isBinary ? data : data.toString());
      this.messages.push(message);
      const answer = this.answer(message);
      if (answer) this.send(answer, isBinary ? 'binary' : 'text');
    });
    socket.on('ping', () => {
      this.pings++;
      if (!this.deaf) socket.pong();
    });
    socket.on('close', (code) => this.ends.push(code));
  }
}
