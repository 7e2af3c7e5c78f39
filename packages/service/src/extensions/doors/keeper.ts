import { randomBytes } from 'node:crypto';
import { type DoorName, type Refusal, refusal, waitingLimit, waitingOfAddressLimit } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import type { Db } from '../../engine/db/storage.ts';
import { networkShare, networksOf } from '../../engine/http/client-address.ts';
import type { Deps, DoorCaller } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import {
  acceptedKey,
  changeWaiting,
  countWaiting,
  deleteKey,
  doorDeviceById,
  doorDeviceByName,
  doorDeviceByToken,
  insertDoorDevices,
  insertTicketKey,
  insertWaiting,
  productByCode,
  productOfDevice,
  ticketKey,
  tokenByHash,
  tokenById,
  touchDoorToken,
  updateOf,
  waitingById,
} from './queries.ts';
import { isDoorName, meansProduct } from './rules.ts';
import { isSame, isTicketFor, makeTicket, type Proof, readTicket, waitingId } from './tickets.ts';

/** Devices of one product that register at the same time. */
interface Registration {
  readonly productId: string;
  /** Owner of the devices where no user owns the product. */
  readonly fallbackOwner: string | null;
  readonly titles: readonly string[];
  readonly by: { readonly userId?: string | null; readonly client?: string | null; readonly ip: string };
}

/** What doors need of other slices. */
export interface DoorDeps extends Deps {
  /** Makes devices of a product. Refusals: NOT_FOUND, PRODUCT_ARCHIVED, PRODUCT_TRASHED, QUOTA_REACHED. */
  registerDevices(trx: Db, registration: Registration): Promise<Result<readonly string[], Refusal>>;
  /** Notes the first authenticated contact of a device. */
  firstContact(device: { id: string; product_id: string; title: string }, ip: string): Promise<void>;
}

/** What a client shows of itself. */
export interface Shown {
  readonly door: DoorName;
  readonly tenant: string;
  readonly name: string;
  readonly kind: 'target' | 'gateway';
  readonly token: string;
  readonly ip: string;
}

/** A device that waits is noted again after this long, in ms; its requests may come every few seconds. */
const noteAgainMs = 60_000;
/** A token's last use is this exact, in ms. */
const tokenUseMs = 60_000;
const ticketKeyBytes = 32;

interface Known {
  readonly deviceId: string;
  readonly name: string;
  readonly reportedAtMs: number | null;
  readonly asksConsent: boolean;
  readonly proof: Proof;
}

type DoorDevice = NonNullable<Awaited<ReturnType<typeof doorDeviceById>>>;

const reportedAtOf = ({ reported_at, has_attributes }: Pick<DoorDevice, 'reported_at' | 'has_attributes'>) =>
  has_attributes ? reported_at : null;

/** A device that has shown what is its own, or a token of its product. */
const knownOf = (
  { device_id, name, consent, auto_confirm, ...reporting }: DoorDevice,
  tokenId: string | null = null,
): Known => ({
  deviceId: device_id,
  name,
  reportedAtMs: reportedAtOf(reporting),
  asksConsent: consent === 1 && auto_confirm === null,
  proof: { tokenId, ownHash: tokenId === null ? reporting.token_hash : null },
});

/** What a client of Mender shows of itself. */
export interface ShownKey {
  readonly name: string;
  /** SHA-256 of the public key, hex. */
  readonly keyHash: string;
  /** A token of the product, or its full code. */
  readonly tenantToken: string;
  readonly ip: string;
}

/** What a token says of the devices that register with it. */
interface Registrar {
  readonly product_id: string;
  readonly user_id: string | null;
  readonly consent: 0 | 1;
}

const stranger = () => failure(refusal('DOOR_UNAUTHORISED'));

/** Says who comes in through a door. Whatever is wrong, a stranger learns no more than that. */
export class DoorKeeper {
  readonly #deps: DoorDeps;
  readonly #noted = new Map<string, number>();
  readonly #used = new Map<string, number>();
  #key: Promise<Buffer> | undefined;

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  /** The device of a token. Refusal: DOOR_UNAUTHORISED. Spec: API-DOOR-identity. */
  async byToken(shown: Shown): Promise<Result<DoorCaller, Refusal>> {
    const hash = hashSecret(shown.token);
    const found =
      shown.kind === 'target' ? await this.#byOwnToken(shown, hash) : await this.#byProductToken(shown, hash);
    return this.#admit(found, shown.ip);
  }

  /** The device of a key that has signed its request. Refusal: DOOR_UNAUTHORISED. Spec: API-MENDER-auth. */
  async byKey({ name, keyHash, tenantToken, ip }: ShownKey): Promise<Result<DoorCaller, Refusal>> {
    const { storage } = this.#deps;
    const found = await doorDeviceByToken(storage.db, keyHash);
    const isOurs = found?.door === 'mender' && found.name === name && found.mender;
    const known = isOurs ? knownOf(found) : found ? undefined : await this.#newKey({ name, keyHash, tenantToken, ip });
    return this.#admit(known, ip);
  }

  async #newKey({ name, keyHash, tenantToken, ip }: ShownKey): Promise<Known | undefined> {
    const { storage, clock } = this.#deps;
    const shown = { door: 'mender', name, ip } as const;
    const accepted = await acceptedKey(storage.db, name, keyHash);
    // API-DOOR-keys: whatever product it names, this key is known.
    if (accepted)
      return this.#register(shown, accepted, keyHash, null, (trx) => deleteKey(trx, accepted.product_id, accepted.id));
    const token = await tokenByHash(storage.db, hashSecret(tenantToken));
    if (token?.door !== 'mender' || !token.mender) return this.#note({ ...shown, tenant: tenantToken }, keyHash);
    this.#noteUse(token.id, clock.now());
    // Another key under the name of a device is for people to judge.
    if (await doorDeviceByName(storage.db, token.product_id, 'mender', name))
      return this.#note({ ...shown, tenant: token.product }, keyHash);
    return this.#register(shown, token, keyHash, null);
  }

  /** The device of an accepted key, as long as it has that key. Refusal: DOOR_UNAUTHORISED. */
  async byKeptKey(deviceId: string, keyHash: string, ip: string): Promise<Result<DoorCaller, Refusal>> {
    const found = await doorDeviceById(this.#deps.storage.db, deviceId);
    if (found?.door !== 'mender' || !found.mender || !isSame(found.token_hash ?? '', keyHash)) return stranger();
    return this.#admit(knownOf(found), ip);
  }

  /** The key by which this installation signs what clients hold for it. */
  readonly signingKey = (): Promise<Buffer> => this.#ticketKey();

  /** A device that has shown its certificate. Refusal: DOOR_UNAUTHORISED. */
  async byCertificate(
    row: DoorCaller['row'],
    { door, tenant, ip }: Pick<Shown, 'door' | 'tenant' | 'ip'>,
  ): Promise<Result<DoorCaller, Refusal>> {
    const { storage, clock } = this.#deps;
    const product = await productOfDevice(storage.db, row.id);
    if (!product?.[door] || !meansProduct(tenant, product.product)) return stranger();
    const found = await doorDeviceById(storage.db, row.id);
    if (!found) {
      const made = { device_id: row.id, product_id: product.id, door, name: row.uuid, created_at: clock.now() };
      await transactionOverConflicts(storage, async (trx) => {
        if (!(await doorDeviceById(trx, row.id)))
          await insertDoorDevices(trx, [{ ...made, token_hash: null, reported_at: null }]);
      });
    }
    const asksConsent = product.consent === 1 && (found?.auto_confirm ?? null) === null;
    const reportedAtMs = found ? reportedAtOf(found) : null;
    const proof = { tokenId: null, ownHash: found?.token_hash ?? null };
    return this.#seen({ deviceId: row.id, name: row.uuid, reportedAtMs, asksConsent, row, proof }, ip);
  }

  /** The holder of a link to a file. Refusal: DOOR_UNAUTHORISED. Spec: API-DOOR-ticket. */
  async byTicket(ticket: string, { tenant, name, ip }: Omit<Shown, 'kind' | 'token' | 'door'>) {
    const found = await this.#ofTicket(ticket, 'ddi');
    return found && found.name === name && meansProduct(tenant, found.product)
      ? this.#admit(knownOf(found, readTicket(ticket)?.tokenId), ip)
      : stranger();
  }

  /** The same, where the address names the update and not the device. */
  async byTicketOf(ticket: string, updateId: number, ip: string): Promise<Result<DoorCaller, Refusal>> {
    const found = await this.#ofTicket(ticket, 'mender');
    return found && readTicket(ticket)?.updateId === updateId ? this.#admit(knownOf(found), ip) : stranger();
  }

  /** The device whose ticket this is, as long as what it has shown for it lets it in. */
  async #ofTicket(ticket: string, door: DoorName): Promise<DoorDevice | undefined> {
    const { storage, clock } = this.#deps;
    const said = readTicket(ticket);
    const update = said && (await updateOf(storage.db, said.updateId));
    const found = update && (await doorDeviceById(storage.db, update.device_id));
    if (!found || found.door !== door || !found[door]) return undefined;
    const token = said.tokenId === null ? undefined : await tokenById(storage.db, said.tokenId);
    if (said.tokenId !== null && token?.product_id !== found.current_product_id) return undefined;
    const { proof } = knownOf(found, said.tokenId);
    const subject = { updateId: said.updateId, name: found.name };
    return isTicketFor(await this.#ticketKey(), ticket, subject, proof, clock.now()) ? found : undefined;
  }

  /** A text that lets its holder fetch the files of an update, for a day and as long as the caller is let in. */
  async ticketFor(updateId: number, { name, proof }: Pick<DoorCaller, 'name' | 'proof'>): Promise<string> {
    return makeTicket(await this.#ticketKey(), { updateId, name }, proof, this.#deps.clock.now());
  }

  /** The key of all nodes of the installation; made when it is first needed. */
  #ticketKey(): Promise<Buffer> {
    const { storage } = this.#deps;
    const load = async () => {
      const fresh = randomBytes(ticketKeyBytes).toString('base64');
      const kept =
        (await ticketKey(storage.db)) ??
        (await storage.transaction(async (trx) => {
          await insertTicketKey(trx, fresh);
          return ticketKey(trx);
        }));
      return Buffer.from(kept ?? fresh, 'base64');
    };
    this.#key ??= load().catch((error) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #admit(known: Known | undefined, ip: string): Promise<Result<DoorCaller, Refusal>> {
    const row = known && (await this.#deps.storage.hot.deviceById(known.deviceId));
    return row ? this.#seen({ ...known, row }, ip) : stranger();
  }

  /** A device that passes has been seen: that is durable before it is answered, unless the database is full. */
  async #seen(known: Known & { readonly row: DoorCaller['row'] }, ip: string): Promise<Result<DoorCaller, Refusal>> {
    const { storage, clock, health, firstContact } = this.#deps;
    const { row, name, reportedAtMs, asksConsent, proof } = known;
    if (row.state === 'disabled') return stranger();
    if (row.state === 'enabled') await firstContact(row, ip);
    try {
      await storage.hot.touchDevice(row.id, clock.now(), ip);
    } catch (error) {
      if (health.troubleOf(error)?.kind !== 'full') throw error;
    }
    return success({ row, name, reportedAtMs, asksConsent, proof });
  }

  async #byOwnToken(shown: Shown, hash: string): Promise<Known | undefined> {
    const { db } = this.#deps.storage;
    const found = await doorDeviceByToken(db, hash);
    if (!found) return this.#note(shown, hash);
    const fits = found.door === shown.door && found.name === shown.name && isSame(found.token_hash ?? '', hash);
    return fits && found[shown.door] && meansProduct(shown.tenant, found.product) ? knownOf(found) : undefined;
  }

  async #byProductToken(shown: Shown, hash: string): Promise<Known | undefined> {
    const { storage, clock } = this.#deps;
    const { door, name, tenant } = shown;
    const token = await tokenByHash(storage.db, hash);
    if (!token || token.door !== door || !isSame(token.token_hash, hash)) return undefined;
    if (!token[door] || !meansProduct(tenant, token.product) || !isDoorName(name)) return undefined;
    this.#noteUse(token.id, clock.now());
    const found = await doorDeviceByName(storage.db, token.product_id, door, name);
    // A device that has been activated elsewhere comes in there.
    if (found) return found.current_product_id === token.product_id ? knownOf(found, token.id) : undefined;
    return this.#register(shown, token, null, token.id);
  }

  /** A device comes for the first time, with the token of its product. */
  #register(
    { door, name, ip }: Pick<Shown, 'door' | 'name' | 'ip'>,
    { product_id: productId, user_id: fallbackOwner, consent }: Registrar,
    secretHash: string | null,
    tokenId: string | null,
    registered: (trx: Db) => Promise<unknown> = async () => undefined,
  ): Promise<Known | undefined> {
    const { storage, clock, log, registerDevices } = this.#deps;
    return transactionOverConflicts(storage, async (trx) => {
      // Its other request may have been faster.
      const known = await doorDeviceByName(trx, productId, door, name);
      if (known) return known.current_product_id === productId ? knownOf(known, tokenId) : undefined;
      const made = await registerDevices(trx, { productId, fallbackOwner, titles: [name], by: { ip } });
      if (!made.ok) {
        log.warn({ productId, name, code: made.error.code }, 'A device could not register');
        return undefined;
      }
      const [deviceId = ''] = made.value;
      const row = { device_id: deviceId, product_id: productId, door, name, created_at: clock.now() };
      await insertDoorDevices(trx, [{ ...row, token_hash: secretHash, reported_at: null }]);
      await registered(trx);
      const proof = { tokenId, ownHash: secretHash };
      return { deviceId, name, reportedAtMs: null, asksConsent: consent === 1, proof };
    });
  }

  #noteUse(tokenId: string, nowMs: number): void {
    if (nowMs - (this.#used.get(tokenId) ?? Number.NEGATIVE_INFINITY) < tokenUseMs) return;
    this.#used.set(tokenId, nowMs);
    touchDoorToken(this.#deps.storage.db, tokenId, nowMs).catch((error) =>
      this.#deps.log.warn({ err: error }, 'The use of a token could not be noted'),
    );
  }

  /** A stranger that names a product which lets strangers wait is noted. Spec: API-DOOR-waiting, API-LIMIT-waiting. */
  async #note(
    { door, tenant, name, ip }: Pick<Shown, 'door' | 'tenant' | 'name' | 'ip'>,
    secretHash: string,
  ): Promise<undefined> {
    const { storage, clock } = this.#deps;
    if (!isDoorName(name)) return undefined;
    const product = await productByCode(storage.db, tenant.toUpperCase());
    if (!product?.[door] || !product.waiting) return undefined;
    const id = waitingId(product.id, door, name, secretHash);
    const nowMs = clock.now();
    if (nowMs - (this.#noted.get(id) ?? Number.NEGATIVE_INFINITY) < noteAgainMs) return undefined;
    if (this.#noted.size >= waitingLimit) this.#noted.clear();
    this.#noted.set(id, nowMs);
    await storage.transaction(async (trx) => {
      if (await waitingById(trx, id)) return changeWaiting(trx, id, { last_at: nowMs, ip });
      const from = networksOf(ip);
      const { inAll, ofAddress, ofNetwork } = await countWaiting(trx, product.id, from);
      const isFull = inAll >= waitingLimit || ofAddress >= waitingOfAddressLimit;
      if (isFull || ofNetwork >= waitingOfAddressLimit * networkShare) return undefined;
      const row = { id, product_id: product.id, door, name, secret_hash: secretHash, ip };
      const networks = { from_address: from.address, from_network: from.network };
      return insertWaiting(trx, { ...row, ...networks, first_at: nowMs, last_at: nowMs });
    });
    return undefined;
  }
}
