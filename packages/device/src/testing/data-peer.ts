import { type Capabilities, dataRoutesContract } from '@moorage/api';
import Value from 'typebox/value';

/** A value as it arrived. */
interface Arrived {
  readonly n: string;
  readonly v: number | string;
  readonly t?: number;
}

interface PeerMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: string;
}

interface PeerAnswer {
  readonly status: number;
  /** Bytes go as they are, anything else as JSON. */
  readonly body: unknown;
}

const ok = { result: 'ok' };
const refused = (status: number, code: string, message: string): PeerAnswer => ({
  status,
  body: { statusCode: status, error: 'Refused', message, code },
});
const notActivated = refused(400, 'NOT_ACTIVATED', 'The device is not activated at the data cloud');

const bodies = {
  'POST /device/v1/activate': dataRoutesContract.activate.body,
  'POST /device/v1/deactivate': dataRoutesContract.deactivate.body,
  'POST /device/v1/data': dataRoutesContract.write.body,
  'POST /device/v1/messages': dataRoutesContract.post.body,
};

/**
 * The data cloud of a service peer, as simple as the contract allows. Like the service it writes a batch once, however
 * often it comes. Throws for a body that breaks the contract.
 */
export class DataPeer {
  readonly account = { username: 'ada', password: 'secret' };
  capabilities: Capabilities | undefined;
  /** Samples in the order in which they came. */
  readonly samples: Arrived[] = [];
  readonly controls = new Map<string, { readonly v: number | string; readonly t: number }>();
  readonly messages: PeerMessage[] = [];
  readonly posted: string[] = [];
  /** Files on offer by name: a `.script` belongs to the `.json` before it. */
  readonly files = new Map<string, string>();
  /** Epoch seconds that it gives values without a time. */
  nowS = 1_700_000_000;
  readonly #batches = new Set<string>();

  /** `undefined` for paths that are none of the data cloud. */
  answer(method: string, url: string, body: unknown): PeerAnswer | undefined {
    const [path = '', search] = url.split('?');
    if (!path.startsWith('/device/v1/')) return undefined;
    const call = `${method} ${path}`;
    if (Object.hasOwn(bodies, call) && !Value.Check(bodies[call as keyof typeof bodies], body)) {
      throw new Error(`${call} breaks the contract: ${JSON.stringify(body)}`);
    }
    const query = new URLSearchParams(search);
    // The bodies have been checked against the contract just now.
    const given = body as never;
    const id = decodeURIComponent(path.split('/')[4] ?? '');
    if (call === 'POST /device/v1/activate') return this.#activate(given);
    if (call === 'POST /device/v1/deactivate') return this.#deactivate(given);
    if (path === '/device/v1/capabilities') return { status: 200, body: this.#offers() };
    if (path.startsWith('/device/v1/capabilities/')) return this.#file(id);
    if (!this.capabilities) return notActivated;
    if (call === 'POST /device/v1/data') return this.#write(given);
    if (call === 'GET /device/v1/controls') return { status: 200, body: this.#values() };
    if (call === 'GET /device/v1/messages') return { status: 200, body: this.#list(query) };
    if (call === 'POST /device/v1/messages') return this.#post(given);
    return this.#message(method, id);
  }

  /** A device that is somebody's needs no login. */
  #isAccount({ username, password }: { username?: string; password?: string }): boolean {
    if (username === undefined && password === undefined) return true;
    return username === this.account.username && password === this.account.password;
  }

  #activate(body: { username?: string; password?: string; capabilities: Capabilities }): PeerAnswer {
    if (!this.#isAccount(body)) return refused(403, 'WRONG_LOGIN', 'User name or password is wrong');
    if (this.capabilities) return refused(400, 'ALREADY_ACTIVATED', 'The device is activated already');
    this.capabilities = body.capabilities;
    return { status: 200, body: { ...ok, device: '11111111-1111-4111-8111-111111111111' } };
  }

  #deactivate(body: { username?: string; password?: string }): PeerAnswer {
    if (!this.#isAccount(body)) return refused(403, 'WRONG_LOGIN', 'User name or password is wrong');
    if (!this.capabilities) return notActivated;
    this.capabilities = undefined;
    return { status: 200, body: ok };
  }

  #offers(): unknown {
    const names = [...this.files.keys()].filter((name) => name.endsWith('.json'));
    return names.map((name, index) => {
      const script = name.replace('.json', '.script');
      const url = (file: string) => `/device/v1/capabilities/${encodeURIComponent(file)}`;
      const more = this.files.has(script) ? { script: url(script) } : {};
      return { name, version: '1.0.0', url: url(name), ...more, default: index === 0 };
    });
  }

  #file(name: string): PeerAnswer {
    const file = this.files.get(name);
    return file === undefined
      ? refused(404, 'NOT_FOUND', 'Capabilities file not found')
      : { status: 200, body: Buffer.from(file) };
  }

  #write({ batch, samples = [], controls = [] }: { batch: string; samples?: Arrived[]; controls?: Arrived[] }) {
    if (!this.#batches.has(batch)) {
      this.#batches.add(batch);
      this.samples.push(...samples);
      for (const { n, v, t } of controls) this.controls.set(n, { v, t: t || this.nowS });
    }
    return { status: 200, body: ok };
  }

  #values(): unknown {
    const defaults = Object.entries(this.capabilities?.controls ?? {}).flatMap(([n, { default: v }]) =>
      v === undefined || this.controls.has(n) ? [] : [{ n, v, t: 0 }],
    );
    return [...Array.from(this.controls, ([n, value]) => ({ n, ...value })), ...defaults];
  }

  #list(query: URLSearchParams): unknown {
    const since = Number(query.get('since') ?? 0);
    const count = Number(query.get('count') ?? 50);
    return this.messages
      .filter(({ timestamp }) => timestamp >= since)
      .slice(-count)
      .map(({ id, timestamp, data }) => ({ id, timestamp, length: Buffer.byteLength(data) }));
  }

  #post({ data, key }: { data: string; key?: string }): PeerAnswer {
    const note = `${key}m`;
    if (key === undefined || !this.#batches.has(note)) this.posted.push(data);
    this.#batches.add(note);
    return { status: 200, body: { ...ok, id: '33333333-3333-4333-8333-333333333333' } };
  }

  #message(method: string, id: string): PeerAnswer {
    const index = this.messages.findIndex((message) => message.id === id);
    const message = this.messages[index];
    if (!message) return refused(404, 'NOT_FOUND', 'Message not found');
    if (method === 'GET') return { status: 200, body: { headers: message.headers, body: { data: message.data } } };
    this.messages.splice(index, 1);
    return { status: 200, body: ok };
  }
}
