import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { deviceRoutesContract, otaRoutesContract, type UpdateOffer } from '@moorage/api';
import { crc16, unwrap } from '@moorage/base';
import type { Net } from '@moorage/net';
import Value from 'typebox/value';
import { DataPeer } from './data-peer.ts';

/** A bundle that the peer offers. */
export interface PeerBundle {
  readonly id: string;
  readonly version: string;
  readonly files: readonly PeerFile[];
}

interface PeerFile {
  readonly name: string;
  readonly content: Uint8Array;
  readonly version?: string;
  readonly type?: number;
  readonly flags?: string;
  /** What the manifest says, when it lies. */
  readonly crc?: number;
}

interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly range: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

export const bversionOf = (bundle: PeerBundle): string =>
  `ACME-HARBOUR_LAMP-${bundle.version}, 2024-01-02T03:04:05Z, base-2.3.0.${bundle.version.split('.')[3]}`;

const bodies = {
  'POST /provision': deviceRoutesContract.provision.body,
  'POST /claim': deviceRoutesContract.claim.body,
  'POST /activate': deviceRoutesContract.activate.body,
  'POST /ota': otaRoutesContract.query.body,
  'POST /ota/result': otaRoutesContract.report.body,
};

const certificate = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

export const peerCredentials = { certificate: certificate('device'), key: certificate('key'), ca: certificate('ca') };

export const peerInfo = {
  id: '11111111-1111-4111-8111-111111111111',
  uuid: '4d4f4f52000000000000000000000000000000ff',
  title: 'Lamp',
  platform: 'HARBOUR',
  product: 'ACME-HARBOUR_LAMP',
  tag: null,
  bundle_id: null,
  state: 'active',
  claimable: true,
};

/** Answers to the calls that need no thought. */
const fixed: Readonly<Record<string, unknown>> = {
  'PUT /provision': { result: 'ok' },
  'POST /claim': { result: 'ok', product: 'ACME-HARBOUR_LAMP', user: 'ada' },
  'POST /activate': { result: 'ok', product: 'ACME-HARBOUR_LAMP', bundle: '1.0.0.2' },
  'GET /info': peerInfo,
  'GET /products': [{ product: 'ACME-HARBOUR_LAMP', title: 'Lamp', version: '1.0.0.2', claimable: true }],
  'POST /ota/result': { result: 'ok' },
};

/**
 * The far side of the link: speaks the contract of the device listener from a script, and refuses bodies that break
 * the contract. `requests` has what came, `answers` replaces the answer to a call.
 */
export class ServicePeer {
  bundle: PeerBundle | undefined;
  readonly requests: PeerRequest[] = [];
  /** What answers to queries say beside the bundle. */
  hints: Pick<UpdateOffer, 'install' | 'next_poll_s'> = {};
  /** Its data cloud. */
  readonly data = new DataPeer();
  /** Answers before anything else does; `undefined` leaves it to the others. */
  guard: (call: string) => { readonly status: number; readonly body: unknown } | undefined = () => undefined;
  /** By method and path: a status with a message, or a whole body. */
  readonly answers = new Map<string, { readonly status: number; readonly body: unknown }>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async attach(net: Net, port = 443): Promise<void> {
    unwrap(await net.listen(port, ({ stream }) => this.#server.emit('connection', stream)));
  }

  /** Passes requests for another protocol to a listener. */
  onUpgrade(listener: (request: IncomingMessage, stream: Duplex, head: Buffer) => void): void {
    this.#server.on('upgrade', listener);
  }

  refuse(call: string, status: number, message = `Refused with ${status}`, code = 'FORBIDDEN'): void {
    this.answers.set(call, { status, body: { statusCode: status, error: 'Refused', message, code } });
  }

  /** Paths of downloads, with their ranges. */
  get downloads(): readonly string[] {
    return this.requests
      .filter(({ path }) => path.startsWith('/ota/') && path !== '/ota/result')
      .map(({ path, range }) => (range ? `${path} ${range}` : path));
  }

  /** Bodies of `POST /ota/result`. */
  get reports(): readonly unknown[] {
    return this.requests.filter(({ path }) => path === '/ota/result').map(({ body }) => body);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    // A request that is cut is not recorded.
    if (text === undefined) return;
    const { method = '', url: path = '' } = request;
    const isJson = text !== '' && request.headers['content-type']?.includes('json') !== false;
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    this.requests.push({ method, path, body, range: request.headers.range, headers: request.headers });
    const call = `${method} ${path}`;
    const schema = Object.hasOwn(bodies, call) ? bodies[call as keyof typeof bodies] : undefined;
    if (schema && !Value.Check(schema, body)) throw new Error(`${call} breaks the contract: ${text}`);
    const answer = this.guard(call) ?? this.answers.get(call);
    if (answer) return send(response, answer.status, answer.body);
    const ofData = this.data.answer(method, path, body);
    if (ofData) return send(response, ofData.status, ofData.body);
    if (call === 'POST /provision') return send(response, 200, { uuid: peerInfo.uuid, ...peerCredentials });
    if (call === 'POST /ota') return this.#offer(response, body as { bid?: string; force?: boolean; files?: Held[] });
    if (Object.hasOwn(fixed, call)) return send(response, 200, fixed[call]);
    this.#file(request, response, path);
  }

  #offer(
    response: ServerResponse,
    { bid, force, files: held = [] }: { bid?: string; force?: boolean; files?: Held[] },
  ) {
    const { bundle } = this;
    if (!bundle) return send(response, 404, { message: 'Bundle not found', code: 'NOT_FOUND' });
    const bversion = bversionOf(bundle);
    if (bid === bundle.id && !force) {
      return send(response, 200, { result: 'none', bundle_id: bundle.id, bversion, ...this.hints });
    }
    const files = bundle.files.map(manifestRow);
    const wanted = files.filter(
      (file) =>
        !held.some(({ name, version, crc }) => name === file.local && version === file.version && crc === file.crc),
    );
    return send(response, 200, {
      result: 'update',
      bundle_id: bundle.id,
      version: bundle.version,
      bversion,
      tag: 'release',
      total_size: wanted.reduce((sum, { size }) => sum + size, 0),
      path: `https://ota.local/ota/${bundle.id}/%s`,
      files: wanted,
      ...this.hints,
    });
  }

  #file(request: IncomingMessage, response: ServerResponse, path: string): void {
    const file = this.bundle?.files.find(({ name }) => path === `/ota/${this.bundle?.id}/${encodeURIComponent(name)}`);
    if (!file) {
      send(response, 404, { message: 'File not found', code: 'NOT_FOUND' });
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const size = file.content.length;
    const range = from > 0 ? { 'content-range': `bytes ${from}-${size - 1}/${size}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': size - from, ...range });
    response.end(file.content.subarray(from));
  }
}

async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return String(Buffer.concat(chunks));
}

interface Held {
  readonly name: string;
  readonly version: string;
  readonly crc: number;
}

const manifestRow = ({ name, content, version = '1.0.0.0', type = 0xfe, flags = '', crc }: PeerFile) => ({
  remote: encodeURIComponent(name),
  local: name,
  version,
  type,
  flags,
  crc: crc ?? crc16(content),
  size: content.length,
});

function send(response: ServerResponse, status: number, body: unknown): void {
  const bytes = body instanceof Uint8Array ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(bytes);
}
