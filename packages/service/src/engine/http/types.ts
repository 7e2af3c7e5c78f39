import type {
  BodyOf,
  CustomerRole,
  EndpointShape,
  ParamsOf,
  QueryOf,
  Refusal,
  ReplyOf,
  TokenScope,
} from '@moorage/api';
import type { Clock, Result } from '@moorage/base';
import type { FastifyBaseLogger } from 'fastify';
import type { BlobInfo, BlobStore } from '../blobs/blob-store.ts';
import type { DeviceRow } from '../db/hot.ts';
import type { Storage } from '../db/storage.ts';
import type { Settings } from '../settings/settings.ts';
import type { StorageHealth } from '../stores/health.ts';
import type { Reserve } from '../stores/reserve.ts';
import type { DeviceRates } from './rates.ts';
import type { Traffic } from './traffic.ts';

/** What a token may do less than its user. */
export interface TokenLimits {
  readonly scopes: readonly TokenScope[];
  /** The only products that it is for. */
  readonly productIds: readonly string[] | undefined;
}

/** A user who has shown a valid bearer token. */
export interface Caller {
  readonly userId: string;
  readonly tokenId: string;
  readonly username: string;
  readonly role: 'user' | 'customer' | 'admin';
  readonly customerId: string | null;
  readonly customerRole: CustomerRole;
  readonly client: string | null;
  /** None where the token may do all that its user may. */
  readonly limits?: TokenLimits | undefined;
  /** When they last proved with this token who they are, epoch ms. */
  readonly provenAtMs?: number | null;
  /** When their token ends, epoch ms; that of a login session ends by its age. */
  readonly expiresAtMs?: number | null;
  /** A session that may only set up the second factor that its account lacks. */
  readonly needsFactor?: boolean;
}

/** A device that has shown its own certificate (or, in insecure mode, its token). */
export interface DeviceCaller {
  readonly deviceId: string;
  readonly uuid: string;
  /** Fingerprint of the certificate that it has shown (SHA-256, lower-case hex); none without TLS. */
  readonly certificate: string | undefined;
  /** The device as this request found it. */
  readonly row: DeviceRow;
  /** The device is to get another certificate before the one that it has shown is no longer good. */
  readonly renewalDue: boolean;
}

/** A device behind a door that has shown what its protocol asks for. */
export interface DoorCaller {
  /** The device as this request found it. */
  readonly row: DeviceRow;
  /** What it calls itself. */
  readonly name: string;
  /** When it last sent its attributes, epoch ms. */
  readonly reportedAtMs: number | null;
  /** Its updates wait for the consent of its user. */
  readonly asksConsent: boolean;
  /** What it has shown to be let in: the token of its product, or what is its own. */
  readonly proof: { readonly tokenId: string | null; readonly ownHash: string | null };
}

type CallerOf<E extends EndpointShape> = E['auth'] extends 'bearer'
  ? Caller
  : E['auth'] extends 'device'
    ? DeviceCaller
    : E['auth'] extends 'door'
      ? DoorCaller
      : undefined;

/** Bytes of an upload that are durable in the blob store, and what they say they are. */
export interface StoredUpload {
  readonly blob: BlobInfo;
  /** Media type as sent; `undefined` when none was. */
  readonly mime: string | undefined;
}

/** The bytes of a request: the whole body, or the one part `file` of a form. */
export interface Upload {
  /** How many the request says they are, when it does. */
  readonly announcedBytes: number | undefined;
  /**
   * Streams the bytes into the blob store, whatever their number holding a few chunks of them. A refused upload leaves
   * nothing there. Refusals: BODY_TOO_LARGE, UPLOAD_CUT, UPLOAD_STALLED, WRONG_MEDIA_TYPE, INVALID_REQUEST.
   *
   * @param inspect looks at the first bytes (`headBytes`, or all if there are fewer) before any is stored
   */
  store(limits: {
    readonly maxBytes: number;
    readonly headBytes?: number;
    readonly inspect?: (head: Uint8Array) => Refusal | undefined;
    /** Sees each piece before it is stored. */
    readonly tap?: (piece: Uint8Array) => void;
  }): Promise<Result<StoredUpload, Refusal>>;
}

/** Header fields of a request, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers of a request, and whether it came over TLS. */
export interface RequestOrigin {
  readonly headers: RequestHeaders;
  /** Whether the client speaks TLS, with the service or with a proxy that it trusts. */
  readonly isEncrypted: boolean;
}

/** One request, validated and typed by its contract entry. */
export interface Call<E extends EndpointShape> extends RequestOrigin {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly caller: CallerOf<E>;
  /** Address of the client. */
  readonly ip: string;
  /** The JSON body as it came; only on endpoints whose body is signed. */
  readonly bodyText: string;
  /** The bytes of a binary body; only on endpoints that declare one. */
  readonly upload: Upload;
}

/** A page of a list: its items and how many there are in all. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** Value of the query parameter `after` for what comes behind this page, in lists that have one. */
  readonly next?: string;
}

/** What the conditions of a request are compared with: the hash of the bytes, and when they were written. */
export interface Validators {
  /** Lower-case hex. Equal bytes have one ETag, others never: a check sum of 16 bits would not do. */
  readonly sha256: string;
  readonly lastModifiedMs: number;
}

/** Bytes out of the blob store; the adapter adds ranges and conditional requests. */
export interface FileReply extends Validators {
  readonly size: number;
  readonly mime: string;
  /** Called once when the first byte is about to be sent. */
  readonly onStart?: () => Promise<void>;
  /** Called while it is sent: up to which byte of the file the client has it. */
  readonly onProgress?: (sentTo: number) => void;
}

/** Bytes made on the spot, small enough to hold. */
export interface BytesReply {
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly filename?: string;
}

/** Events for as long as the client listens. */
export interface EventsReply {
  /**
   * Begins to send, where events have ids behind the one that the client has seen last. Returns what stops it.
   */
  readonly subscribe: (send: (type: string, data: unknown, id?: string) => void, lastId?: string) => () => void;
  /** Asked now and then, beside the check of the caller: the events end when it is not so any more. */
  readonly isStillAllowed?: () => Promise<boolean>;
}

/** A reply with further header fields, such as a cookie. */
export class HeadedReply<T> {
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;

  constructor(value: T, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}

/** Nothing to say: status 204. A class, so that it is no record. */
export class EmptyReply {
  readonly empty = true;
}

/** Where the client finds what it has asked for. */
export class RedirectReply {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

type SuccessOf<E extends EndpointShape> = E extends { reply: { binary: true } }
  ? FileReply | BytesReply | EventsReply
  : E extends { paged: true }
    ? ReplyOf<E> extends readonly (infer Item)[]
      ? Page<Item>
      : never
    : ReplyOf<E> | EmptyReply | RedirectReply | HeadedReply<ReplyOf<E>>;

type Outcome<E extends EndpointShape> = Result<SuccessOf<E>, Refusal>;

/** Answers a call; at once where nothing has to be waited for. */
export type Handler<E extends EndpointShape> = (call: Call<E>) => Outcome<E> | Promise<Outcome<E>>;

/** A request as an interceptor sees it. */
export interface InterceptedCall extends Pick<Call<EndpointShape>, 'ip' | 'headers' | 'isEncrypted'> {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** None where no token is asked for. */
  readonly caller: unknown;
}

/**
 * Goes around handlers of endpoints; nothing for an endpoint that it leaves alone.
 *
 * @param beside the endpoints of the same resource, by their names
 */
export type Interceptor = (
  shape: EndpointShape,
  beside: Readonly<Record<string, EndpointShape>>,
) =>
  | (<T extends Result<unknown, Refusal>>(
      call: InterceptedCall,
      work: () => Promise<T>,
      /** What one of those answers to this caller, of the same thing; nothing where it refuses. */
      answerOf: (name: string) => Promise<unknown>,
    ) => Promise<T>)
  | undefined;

/** Exactly one handler for each entry of a contract: a missing one does not compile. */
export type Handlers<Contract extends Record<string, EndpointShape>> = {
  readonly [Name in keyof Contract]: Handler<Contract[Name]>;
};

/** The handlers that functions of the parts and a call make of it, once the parts are there. */
export const handlers = <Parts, const F extends Readonly<Record<string, (parts: Parts, call: never) => unknown>>>(
  parts: Parts,
  functions: F,
) =>
  // Safe: the same names, each with its parts.
  Object.fromEntries(
    Object.entries(functions).map(([name, answer]) => [name, (call: never) => answer(parts, call)]),
  ) as {
    readonly [Name in keyof F]: F[Name] extends (parts: Parts, call: infer C) => infer R ? (call: C) => R : never;
  };

/** How many attempts of one kind there may be in a time. */
export interface Limit {
  readonly kind: string;
  readonly most: number;
  readonly windowMs: number;
}

/** An attempt that counts. */
export interface Attempt {
  /** It does not count. */
  undo(): Promise<void>;
  /** None of its subject counts. */
  clear(): Promise<void>;
}

/** Counts attempts, to slow down clients that try passwords or make accounts. */
export interface Attempts {
  /** Counts an attempt of a subject, or says how many seconds to wait before the next one. */
  begin(
    limit: Limit,
    subject: string,
    /** Otherwise it takes as long, and leaves the count as it is. */
    isCounted?: boolean,
  ): Promise<Result<Attempt, { readonly retryAfterS: number }>>;
  /** Notes a subject for the time of the limit. */
  note(limit: Limit, subject: string): Promise<void>;
  /** Whether it has been noted within that time. */
  isNoted(limit: Limit, subject: string): Promise<boolean>;
}

/** What every slice is handed; it creates none of it. */
export interface Deps {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: FastifyBaseLogger;
  readonly attempts: Attempts;
  /** What is known of the room in the storage. */
  readonly health: StorageHealth;
  /** What both listeners have answered. */
  readonly traffic: Traffic;
  /** Room for what makes room, or must not be lost. */
  readonly reserve: Reserve;
  /** How often devices write. */
  readonly rates: DeviceRates;
}
