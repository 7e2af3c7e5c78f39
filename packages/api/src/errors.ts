import type { ErrorStatus } from './endpoint.ts';

interface ErrorRow {
  readonly status: ErrorStatus;
  /** Sentence case, active voice, no final period; `{name}` is filled in by the refusal. */
  readonly message: string;
}

/**
 * Every refusal of the service: stable code, status and text. Codes are never reused for another meaning.
 * docs/generated/errors.md is made from this table. Spec: API-ERR-*.
 */
export const errors = {
  INVALID_REQUEST: { status: 400, message: '{detail}' },
  INVALID_FILTER: { status: 400, message: 'The filter is wrong at {where}: {problem}' },
  INVALID_VERSION: { status: 400, message: 'Version "{version}" is not four dot-separated numbers of 0 to {maxPart}' },
  INVALID_BASE64: { status: 400, message: 'Field "{field}" is not valid base64' },
  INVALID_DEVICE_UUID: { status: 400, message: 'Field "uuid" is not 40 hexadecimal digits' },
  UUID_OF_ANOTHER_PLATFORM: {
    status: 400,
    message: 'The uuid begins with "{found}", but those of platform "{platform}" begin with "{partId}"',
  },
  INVALID_PATH: { status: 400, message: 'Path "{path}" is not the path of a file: {detail}' },
  NOT_AN_IMAGE: { status: 400, message: 'The bytes are not a PNG, JPEG, GIF or WebP image' },
  WRONG_ARTIFACT: { status: 400, message: 'The file is no artifact that can be installed: {detail}' },
  UPLOAD_CUT: { status: 400, message: 'The body ended before it was complete' },
  UPLOAD_STALLED: { status: 400, message: 'No byte of the body has come for {seconds} seconds' },
  WRONG_BUNDLE: { status: 400, message: 'The bundle is not a published bundle of product "{product}"' },
  TARGET_NOT_ALLOWED: { status: 400, message: 'Host "{host}" is inside the network of the service' },
  INVALID_CAPABILITIES: { status: 400, message: 'The capabilities are not valid: {detail}' },
  UNKNOWN_DATA: { status: 400, message: 'The capabilities of the device have no {kind} "{name}"' },
  WRONG_VALUE: { status: 400, message: 'The value of "{name}" {problem}' },
  WRONG_LOGIN: { status: 401, message: 'User name or password is wrong' },
  SECOND_FACTOR_REQUIRED: { status: 401, message: 'The account has a second factor, which finishes the login' },
  UNAUTHENTICATED: { status: 401, message: 'A valid bearer token is required' },
  DOOR_UNAUTHORISED: { status: 401, message: 'The token is not good for this device' },
  WEAK_PASSWORD: { status: 400, message: 'The password {problem}' },
  WRONG_PASSWORD: { status: 403, message: 'The current password is wrong' },
  WRONG_SECOND_FACTOR: { status: 403, message: 'The code is wrong or has been used' },
  WRONG_CHALLENGE: { status: 403, message: 'The login is unknown, used or over; begin again' },
  WRONG_PASSKEY: {
    status: 403,
    message: 'The passkey is not known here, or what it answers is not valid, used or over; begin again',
  },
  SECOND_FACTOR_NEEDED: { status: 403, message: 'The account has to set up a second factor first' },
  TOKEN_NEEDED: {
    status: 403,
    message: 'The account has a second factor; show one of its API tokens in place of the password',
  },
  CROSS_SITE: { status: 403, message: 'A change with the cookie of a session has to come from a page of the service' },
  FORBIDDEN: { status: 403, message: 'You may not {action}' },
  PROOF_NEEDED: {
    status: 403,
    message: 'Show first who you are, by your password, a passkey or a code: POST /api/user/proof',
  },
  TOKEN_SCOPE: { status: 403, message: 'The token lacks the scope "{scope}"' },
  TOKEN_PRODUCT: { status: 403, message: 'The token is limited to some products, and this is not about one of them' },
  QUOTA_REACHED: {
    status: 403,
    message: 'The account "{user}" may have {limit} {things}, and has {used}',
  },
  SIGN_UP_CLOSED: { status: 403, message: 'Only the operator of this service makes accounts' },
  INVITATION_NEEDED: { status: 403, message: 'An account on this service needs an invitation' },
  WRONG_INVITATION: { status: 403, message: 'The invitation is unknown, used, over or for another address' },
  WRONG_LINK: { status: 403, message: 'The link is unknown, used or over' },
  SSO_STATE: { status: 403, message: 'This sign-in was begun in another browser, is over or was used; begin again' },
  SSO_REFUSED: { status: 403, message: 'The provider did not sign you in ({reason})' },
  SSO_INVALID: { status: 403, message: 'The reply of the provider is not valid; begin again' },
  SSO_NO_ADDRESS: { status: 403, message: 'The provider has not confirmed an address of yours' },
  SSO_NO_ACCOUNT: { status: 403, message: 'There is no account for you here; an administrator invites you' },
  SSO_NO_GROUP: { status: 403, message: 'You are in none of the groups that come in here' },
  ACCOUNT_DISABLED: { status: 403, message: 'The account is disabled' },
  DEVICE_NOT_IDENTIFIED: { status: 403, message: 'The certificate and the uuid do not belong to a known device' },
  CERTIFICATE_EXPIRED: { status: 403, message: 'The certificate has expired; the device has to be provisioned again' },
  CERTIFICATE_REPLACED: { status: 403, message: 'The certificate has been replaced by a newer one of the same device' },
  DEVICE_DISABLED: { status: 403, message: 'The device is disabled' },
  DEVICE_LOCKED: { status: 403, message: 'The device is locked by product "{product}"' },
  HARDWARE_DEVICE: { status: 403, message: 'Administrators delete module hardware; its owner resets it' },
  DEVICE_OF_ANOTHER_USER: { status: 403, message: 'The device belongs to another user, who has to reset it first' },
  DEVICE_UNCLAIMED: { status: 403, message: 'The device has to be claimed first' },
  PRODUCTION_DEVICE: { status: 403, message: 'A device of the production product "{product}" stays on it' },
  PRODUCTION_BUNDLE_CHOICE: {
    status: 403,
    message: 'A device of the production product "{product}" may not ask for a specific bundle',
  },
  WRONG_ACTIVATION_TOKEN: { status: 403, message: 'The activation token is unknown, used up or of another product' },
  WRONG_PROVISIONING_TOKEN: { status: 403, message: 'The provisioning token is unknown or used up' },
  NOT_FOUND: { status: 404, message: '{what} not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method {method} is not allowed here' },
  DUPLICATE: { status: 409, message: '{what} "{value}" exists already' },
  ILLEGAL_TRANSITION: { status: 409, message: '{what} in state {from} cannot become {to}' },
  LAST_OWNER: { status: 409, message: 'The customer needs an owner, and this is the last one: make another one first' },
  LAST_ADMINISTRATOR: { status: 409, message: 'The service needs an administrator, and this is the last one' },
  ACCOUNT_OWNS: {
    status: 409,
    message: 'The account "{user}" owns {things}; name the heir who gets that, or disable the account',
  },
  PLATFORM_MISMATCH: { status: 409, message: '{what} is not for platform "{platform}"' },
  IN_USE: { status: 409, message: '{named} is in use by {by}' },
  PRODUCT_IN_USE: { status: 409, message: 'Product "{product}" is in use: {detail}' },
  BUNDLE_IN_USE: { status: 409, message: 'The bundle is in use: {users}' },
  NO_WAY_BACK: {
    status: 409,
    message: 'No published bundle is left that a device of the rollout could go back to; name one',
  },
  BUNDLE_TAGGED: { status: 409, message: 'The bundle carries tag "{tag}"; move the tag to another bundle first' },
  BUNDLE_NOT_PUBLISHED: { status: 409, message: 'The bundle is in state {state}; only a published bundle can do this' },
  BUNDLE_FROZEN: { status: 409, message: 'The bundle is in state {state}; its resources can change only in preview' },
  NO_MAIL_SERVER: { status: 409, message: 'This service sends no mail; its operator names a mail server' },
  NO_PASSKEYS: {
    status: 409,
    message: 'The address "{address}" can have no passkeys: they need HTTPS and a name, or localhost',
  },
  NO_REHEARSALS: { status: 409, message: 'This service rehearses no rollouts; "moorage rehearse" does' },
  NO_SSO: { status: 409, message: 'This service has no single sign-on' },
  SSO_ADDRESS_TAKEN: {
    status: 409,
    message: 'An account has your address without having confirmed it; sign in to it and link it on the page Account',
  },
  SSO_LINKED: { status: 409, message: 'Another account is linked to this person at the provider' },
  PRODUCT_ARCHIVED: { status: 409, message: 'Product "{product}" is archived and takes no new devices' },
  PRODUCT_TRASHED: { status: 409, message: 'Product "{product}" is in the trash and takes nothing new' },
  PLATFORM_WITHOUT_EDITION: { status: 409, message: 'Platform "{platform}" has no base edition product yet' },
  ROTATION_OPEN: { status: 409, message: 'Authority {name} is not retired yet; there can be two at a time' },
  ROTATION_SETTLING: {
    status: 409,
    message: 'Authority {name} signs from a minute after it was made; the one before can be retired then',
  },
  NOTHING_TO_RETIRE: { status: 409, message: 'No authority has been replaced; rotate first' },
  DEVICES_STRANDED: { status: 409, message: '{devices} devices would have to be provisioned again' },
  RENEWAL_OPEN: { status: 409, message: 'The certificate is new itself and has to be acknowledged first' },
  PROVISIONING_COMPLETE: { status: 409, message: 'The provisioning of the device is complete' },
  STORE_FULL: { status: 409, message: 'The store is full: it holds at most {files} files and {bytes} bytes' },
  VERSIONS_EXHAUSTED: { status: 409, message: 'Version "{version}" has no successor; send a version' },
  NO_RELEASE_CANDIDATE: { status: 409, message: 'Product "{product}" has no tagged bundle to go into production' },
  LIMIT_REACHED: { status: 409, message: '{what} has {limit} {things} already, as many as it may have' },
  NOT_ACTIVATED: { status: 409, message: 'The device is not activated at the data cloud' },
  ALREADY_ACTIVATED: { status: 409, message: 'The device is activated already; deactivate it first' },
  NO_MESSAGE_BOX: { status: 409, message: 'The capabilities of the device have no message box "{box}"' },
  DEVICE_REFUSED: { status: 409, message: 'The device refused: {detail}' },
  DEVICE_OFFLINE: { status: 409, message: 'The device is not on the message channel' },
  UPDATE_OVER: { status: 410, message: 'The update is over' },
  FILE_CHANGED: { status: 412, message: 'The file is another than the one that is asked for' },
  RECORD_CHANGED: { status: 412, message: 'This has been changed since you have read it' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is over the limit of {limitBytes} bytes' },
  ENCODED_BODY: { status: 415, message: 'A body is taken as it is; header "content-encoding" is "{encoding}"' },
  WRONG_MEDIA_TYPE: { status: 415, message: 'Media type "{mediaType}" is not accepted here' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range is outside the {sizeBytes} bytes of the file' },
  TOO_MANY_REQUESTS: {
    status: 429,
    message: 'You have made {limit} requests in this minute, as many as you may; try again in {retryAfterS} seconds',
  },
  TOO_MANY_WRITES: {
    status: 429,
    message:
      'The device has written as often as it may in a minute ({writes}: {limit} times); try again in {retryAfterS} seconds',
  },
  TOO_MANY_LOGINS: { status: 429, message: 'Too many failed logins; try again in {retryAfterS} seconds' },
  TOO_MANY_LOOK_UPS: {
    status: 429,
    message: 'You have named as many accounts as you may in an hour; try again in {retryAfterS} seconds',
  },
  TOO_MANY_MAILS: { status: 429, message: 'Too many mails are asked for; try again in {retryAfterS} seconds' },
  TOO_MANY_SIGN_UPS: { status: 429, message: 'Too many accounts are being made; try again in {retryAfterS} seconds' },
  SSO_AWAY: { status: 502, message: 'The provider that signs people in does not answer' },
  CONNECTOR_FAILED: { status: 502, message: 'The target of the connector failed: {detail}' },
  CONNECTOR_TIMED_OUT: { status: 504, message: 'The target of the connector did not answer within {timeoutMs} ms' },
  DEVICE_SILENT: { status: 504, message: 'The device did not answer within {timeoutMs} ms' },
  BUSY: { status: 503, message: 'Too much of this is going on; try again in {retryAfterS} seconds' },
  STOPPING: { status: 503, message: 'This node is stopping; others go on' },
  NODES_APART: {
    status: 503,
    message: 'The device is at another node, which this one does not reach; try again in {retryAfterS} seconds',
  },
  STORAGE_AWAY: { status: 503, message: 'The storage does not answer ({what}); try again in {retryAfterS} seconds' },
  STORAGE_DAMAGED: {
    status: 503,
    message: 'What is stored in the {what} is damaged or missing; the operator has to bring it back',
  },
  STORAGE_BUSY: {
    status: 503,
    message: 'Too many requests wait for the storage; try again in {retryAfterS} seconds',
  },
  STORAGE_FULL: {
    status: 507,
    message: 'No room is left in the {what}; reading goes on, and changes do when there is room again',
  },
  INTERNAL: { status: 500, message: 'The service failed; the log has the cause under this request id' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** Fields that a refusal names at most: a list of a million wrong numbers is one mistake. */
export const refusedFieldsLimit = 20;

/** A refused request, as handlers and rules return it. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Which fields of which part of the request are wrong (status 400). */
  readonly validation?: { readonly source: 'params' | 'query' | 'body' | 'headers'; readonly keys: readonly string[] };
  /** Seconds after which the same request may succeed; sent as Retry-After. */
  readonly retryAfterS?: number;
  /** What a refused login is finished with. */
  readonly challenge?: string;
}

/** Codes of status 400. */
type InvalidCode = { [Code in ErrorCode]: (typeof errors)[Code]['status'] extends 400 ? Code : never }[ErrorCode];

/** Blanks of a message, by name. */
type Blanks = Readonly<Record<string, string | number>>;

/** Makes a refusal from its row, filling the blanks of the message; one of status 400 says what of the request is wrong. */
export function refusal(code: InvalidCode, blanks: Blanks, validation: NonNullable<Refusal['validation']>): Refusal;
/** The same for other statuses, which say what is wrong where the device listener makes a 400 of them. */
export function refusal(
  code: Exclude<ErrorCode, InvalidCode>,
  blanks?: Blanks,
  validation?: Refusal['validation'],
): Refusal;
export function refusal(code: ErrorCode, blanks: Blanks = {}, validation?: Refusal['validation']): Refusal {
  const message = errors[code].message.replace(/\{(\w+)\}/g, (blank, name: string) => String(blanks[name] ?? blank));
  return { code, message, ...(validation && { validation }) };
}

/** A refusal of what may succeed later, for codes whose message says when. */
export const refusalFor = (
  code: 'TOO_MANY_LOGINS' | 'TOO_MANY_MAILS' | 'TOO_MANY_SIGN_UPS' | 'TOO_MANY_LOOK_UPS' | 'BUSY',
  retryAfterS: number,
): Refusal => ({ ...refusal(code, { retryAfterS }), retryAfterS });

/**
 * One refusal for all that is wrong with a request, with the code of the first and the fields of all.
 *
 * @returns `undefined` when there is none
 */
export function refusalOfAll(found: readonly (Refusal | undefined)[]): Refusal | undefined {
  const [first, ...others] = found.filter((one) => one !== undefined);
  if (!first || others.length === 0) return first;
  const all = [first, ...others].slice(0, refusedFieldsLimit);
  const keys = [...new Set(all.flatMap(({ validation }) => validation?.keys ?? []))];
  const message = [...new Set(all.map((one) => one.message))].join('; ');
  return { ...first, message, ...(first.validation && { validation: { ...first.validation, keys } }) };
}
