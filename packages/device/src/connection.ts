import {
  type CallInput,
  callUrl,
  dataRoutesContract,
  deviceRoutesContract,
  type EndpointShape,
  filesRoutesContract,
  isBinary,
  otaRoutesContract,
  type ReplyOf,
} from '@moorage/api';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Net } from '@moorage/net';
import {
  type DownloadOptions,
  HttpClient,
  type HttpFailure,
  type HttpTarget,
  type SentBody,
} from '@moorage/net/http/client';
import Value from 'typebox/value';
import { httpFailure, ownFailure, type ServiceFailure } from './failures.ts';

/** Requests to the device listener. Reference: wire 2.1, 3.1. */
export const endpoints = { ...deviceRoutesContract, ...otaRoutesContract };

/** The data cloud. Reference: data-cloud 3.1. */
export const dataEndpoints = dataRoutesContract;

/** The stores of files by path. Reference: api 3.3. */
export const fileEndpoints = filesRoutesContract;

/** What a request takes beside its endpoint; bytes as they are where the contract has them. */
export type RequestInput<E extends EndpointShape> = Omit<CallInput<E>, 'body'> & {
  readonly body?: E extends { body: { binary: true } } ? SentBody : CallInput<E>['body'];
};

/** One connection to the device listener, for requests of its contract. Close it when done. */
export class ServiceConnection {
  readonly #net: Net;
  readonly #clock: Clock;
  readonly #target: HttpTarget;
  readonly #http: HttpClient;
  /** Of the download that another server sends. */
  #other: HttpClient | undefined;

  constructor(net: Net, clock: Clock, target: HttpTarget) {
    this.#net = net;
    this.#clock = clock;
    this.#target = target;
    this.#http = new HttpClient(net, clock, target);
  }

  /** Makes one request of the contract; a response of another shape is a general failure. */
  async request<E extends EndpointShape>(
    endpoint: E,
    input: RequestInput<E>,
  ): Promise<Result<ReplyOf<E>, ServiceFailure>> {
    // Safe: what a request takes is what `callUrl` and the two ways of sending read.
    const { body, ...rest } = input as { readonly body?: unknown };
    const path = callUrl(endpoint, rest);
    const response = isBinary(endpoint.body)
      ? await this.#http.send(endpoint.method, path, body as SentBody)
      : await this.#http.json(endpoint.method, path, body);
    if (!response.ok) return failure(httpFailure(response.error));
    if (isBinary(endpoint.reply) || !Value.Check(endpoint.reply, response.value)) {
      return ownFailure('unknownReply', { path: endpoint.path });
    }
    // Checked against the very schema that the type derives from.
    return success(response.value as ReplyOf<E>);
  }

  /** Fetches a file of unknown size, up to `maxBytes`. */
  async fetch(path: string, maxBytes: number): Promise<Result<Uint8Array, ServiceFailure>> {
    const fetched = await this.#http.fetch(path, maxBytes);
    return fetched.ok ? fetched : failure(httpFailure(fetched.error));
  }

  /**
   * Downloads a file, from the object store when the service sends the device there. What that fails at, be it that the
   * device does not reach the store, the service goes on with.
   */
  async download(options: DownloadOptions): Promise<Result<void, HttpFailure>> {
    const asked = await this.#http.download({ ...options, headers: { prefer: 'redirect' } });
    if (asked.ok || asked.error.kind !== 'status' || asked.error.status !== 307) return asked;
    let { from } = options;
    const receive = (chunk: Uint8Array) => {
      from += chunk.length;
      return options.receive(chunk);
    };
    const place = this.#placeOf(asked.error.location);
    const sent = place && (await this.#downloadFrom(place, { ...options, receive }));
    return sent?.ok ? sent : this.#http.download({ ...options, from });
  }

  /** Where the service sends the device; not off TLS when the service itself speaks it. */
  #placeOf(location: string | undefined): URL | undefined {
    const place = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
    const isTaken = place?.protocol === 'https:' || (place?.protocol === 'http:' && !this.#target.tls);
    return isTaken ? place : undefined;
  }

  /** The other server gets nothing of the identity of the device, and can send it nowhere else. */
  async #downloadFrom(
    { protocol, hostname, port, pathname, search }: URL,
    options: DownloadOptions,
  ): Promise<Result<void, HttpFailure>> {
    const isTls = protocol === 'https:';
    // An address of version 6 has brackets in a URL alone.
    const host = hostname.replace(/^\[|\]$/g, '');
    const target = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port), ...(isTls && { tls: {} }) };
    const other = new HttpClient(this.#net, this.#clock, target);
    this.#other = other;
    try {
      return await other.download({ ...options, path: `${pathname}${search}` });
    } finally {
      other.close();
    }
  }

  close(): void {
    this.#other?.close();
    this.#http.close();
  }
}
