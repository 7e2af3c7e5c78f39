import { dayMs, success } from '@moorage/base';
import type { TlsPair } from '@moorage/net/memory';
import { generate } from 'selfsigned';
import type { ServicePeer } from './service-peer.ts';

/** Lifetime of the certificates that the peer issues. */
const defaultLifetimeMs = 90 * dayMs;

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Certificates one after another, each from the moment on at which it is to be issued. */
export async function datedPairs(
  issuedAtMs: readonly number[],
  lifetimeMs = defaultLifetimeMs,
): Promise<readonly Pair[]> {
  const pairs = issuedAtMs.map(async (atMs) => {
    const made = await generate([{ name: 'commonName', value: `device ${atMs}` }], {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      notBeforeDate: new Date(atMs),
      notAfterDate: new Date(atMs + lifetimeMs),
    });
    return { certificate: made.cert, key: made.private };
  });
  return Promise.all(pairs);
}

/**
 * The identity rules of the service as a script: a renewed pair is taken beside the one before it until it has
 * acknowledged itself, and alone from then on.
 */
export class IdentityPeer {
  readonly #pairs: readonly Pair[];
  /** Certificate and key that the module has shown last. */
  #shown: Pair | undefined;
  #current = 0;
  #pending: number | undefined;
  #issued = 0;
  disabled = false;

  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs;
  }

  /** Shakes hands without doing anything, and sees what is shown. */
  get tls(): TlsPair {
    return {
      client: async (stream, { tls }) => {
        this.#shown =
          tls.cert !== undefined && tls.key !== undefined ? { certificate: tls.cert, key: tls.key } : undefined;
        return success(stream);
      },
      server: async (stream) => success(stream),
    };
  }

  /** The pair that is good now. */
  get current(): Pair | undefined {
    return this.#pairs[this.#current];
  }

  /** Pairs issued after the first. */
  get renewals(): number {
    return this.#issued;
  }

  attach(peer: ServicePeer): void {
    peer.guard = (call) => this.#answer(call);
  }

  #answer(call: string): { readonly status: number; readonly body: unknown } | undefined {
    const shows = (index: number | undefined) => {
      const pair = index === undefined ? undefined : this.#pairs[index];
      // A key that does not belong to its certificate would not get through a handshake.
      return pair !== undefined && this.#shown?.certificate === pair.certificate && this.#shown.key === pair.key;
    };
    if (call === 'POST /provision') return { status: 200, body: { uuid: 'x', ca: 'ca text', ...this.#pairs[0] } };
    if (this.disabled || !(shows(this.#current) || shows(this.#pending))) {
      return { status: 403, body: { message: 'The certificate is not the one of this device' } };
    }
    if (call === 'PUT /provision' && shows(this.#pending) && this.#pending !== undefined) {
      this.#current = this.#pending;
      this.#pending = undefined;
    }
    if (call !== 'POST /certificate') return undefined;
    this.#pending = ++this.#issued;
    const pair = this.#pairs[this.#pending];
    if (!pair) throw new Error('The peer has no more certificates');
    return { status: 200, body: { uuid: 'x', ca: 'ca text', ...pair } };
  }
}
