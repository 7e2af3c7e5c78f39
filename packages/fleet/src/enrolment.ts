import { type CallFailure, type Client, importLimit, type ProductRecord } from '@moorage/api';
import { failure, ignoreFailure, type Result, success } from '@moorage/base';
import type { Enrolment } from './twin.ts';

/** A module that is no device yet. */
interface NewModule {
  readonly uuid: string;
  readonly mac: string;
  readonly title: string;
}

/** Most uses of one activation token. */
const maxUses = 10_000;

/** What a call has brought; a refusal of the service is thrown with its words. */
function must<T>(result: Result<{ readonly value: T }, CallFailure>): T {
  if (result.ok) return result.value.value;
  throw new Error(result.error.body.message);
}

/** Makes modules devices of a product through the API, as a user of it. */
export class ApiEnrolment implements Enrolment {
  readonly #api: Client;
  readonly #product: Pick<ProductRecord, 'id' | 'platform_id'>;
  /** Modules that may still need an activation token. */
  readonly #count: number;
  #token: Promise<{ readonly id: string; readonly token: string }> | undefined;
  #uses = 0;

  constructor(api: Client, product: Pick<ProductRecord, 'id' | 'platform_id'>, count: number) {
    this.#api = api;
    this.#product = product;
    this.#count = count;
  }

  /**
   * Provisioning tokens of modules without a certificate, by their uuid: of new devices, and of those that are known
   * from a start that was cut. The error is the service's own.
   */
  async tokens(modules: readonly NewModule[]): Promise<Result<ReadonlyMap<string, string>, string>> {
    const tokens = new Map<string, string>();
    for (let at = 0; at < modules.length; at += importLimit) {
      const made = await this.#import(modules.slice(at, at + importLimit), tokens);
      if (!made.ok) return made;
    }
    return success(tokens);
  }

  async renew(uuid: string): Promise<string> {
    const known = must(await this.#api.call('devices.get', { params: { identifier: uuid } }));
    return must(await this.#api.call('devices.renewToken', { params: { device_id: known.id } })).token;
  }

  async activationToken(): Promise<string> {
    if (this.#uses % maxUses === 0) {
      this.#token = this.#makeToken();
      this.#token.catch(() => {
        this.#token = undefined;
        this.#uses = 0;
      });
    }
    this.#uses++;
    const made = await this.#token;
    if (!made) throw new Error('There is no activation token');
    return made.token;
  }

  /** Takes back what is left of the activation token. */
  async close(): Promise<void> {
    const made = await this.#token?.catch(() => undefined);
    const params = made && { product_id: this.#product.id, token_id: made.id };
    // One that is used up is gone already.
    if (params) ignoreFailure(await this.#api.call('products.removeToken', { params }));
  }

  async #makeToken() {
    const params = { product_id: this.#product.id };
    const uses = Math.min(maxUses, this.#count);
    return must(await this.#api.call('products.addToken', { params, body: { uses } }));
  }

  async #import(modules: readonly NewModule[], tokens: Map<string, string>): Promise<Result<void, string>> {
    const platform_id = this.#product.platform_id;
    const devices = modules.map((module) => ({ ...module, platform_id }));
    const reply = await this.#api.call('manyDevices.import', { body: { devices, preview: false } });
    if (!reply.ok) return failure(reply.error.body.message);
    const { refused, rows } = reply.value.value;
    const wrong = rows.find(({ code }) => code !== null && code !== 'DUPLICATE');
    if (wrong) return failure(`Device ${wrong.uuid} cannot be made: ${wrong.message}`);
    if (refused === 0) {
      for (const { uuid, token } of rows) if (token !== null) tokens.set(uuid.toLowerCase(), token);
      return success(undefined);
    }
    // All or none: those that are known go on, the others are made without them.
    const known = new Set(rows.filter(({ code }) => code !== null).map(({ uuid }) => uuid.toLowerCase()));
    for (const uuid of known) tokens.set(uuid, await this.renew(uuid));
    const others = modules.filter(({ uuid }) => !known.has(uuid.toLowerCase()));
    return others.length > 0 ? this.#import(others, tokens) : success(undefined);
  }
}
