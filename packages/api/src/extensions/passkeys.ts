import Type, { type Static } from 'typebox';
import { SessionRecord } from '../core/auth.ts';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, Nullable, Text, Timestamp, Title } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { Code, RecoveryCodes } from './factors.ts';

/** Bytes as browsers write them in JSON. */
const bytes = (maxLength: number) =>
  Text(maxLength, { pattern: '^[A-Za-z0-9_-]+$', description: 'base64url', examples: ['bW9vcmFnZQ'] });

const credentialId = bytes(1_364);
const clientDataJSON = bytes(8_192);
const shownType = Type.Literal('public-key');

/** How a browser reaches what holds a passkey. */
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
export type PasskeyTransport = (typeof transports)[number];

/** Whether a browser named it so that it can be shown again. */
export const isPasskeyTransport = (name: string): name is PasskeyTransport =>
  (transports as readonly string[]).includes(name);

const challenge = Type.String({ description: 'base64url', examples: ['bW9vcmFnZQ'] });
const timeout = Type.Integer({ description: 'in milliseconds' });
const known = Type.Object({ id: Type.String(), type: shownType, transports: Type.Array(Type.Enum([...transports])) });
const UserVerification = Type.Enum(['required', 'preferred']);

/** What a browser makes a passkey with: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const PasskeyCreation = Type.Object({
  challenge,
  rp: Type.Object({ id: Type.String({ examples: ['hub.example'] }), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  pubKeyCredParams: Type.Array(Type.Object({ type: shownType, alg: Type.Integer({ description: 'of COSE' }) })),
  timeout,
  attestation: Type.Literal('none'),
  excludeCredentials: Type.Array(known),
  authenticatorSelection: Type.Object({
    residentKey: Type.Literal('preferred'),
    requireResidentKey: Type.Literal(false),
    userVerification: UserVerification,
  }),
});
export type PasskeyCreation = Static<typeof PasskeyCreation>;

/** What a browser shows a passkey with: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const PasskeyRequest = Type.Object({
  challenge,
  rpId: Type.String({ examples: ['hub.example'] }),
  allowCredentials: Type.Array(known, { description: 'none: any that the browser has for this service' }),
  timeout,
  userVerification: UserVerification,
});
export type PasskeyRequest = Static<typeof PasskeyRequest>;

/** What a browser answers when it has made one: of `RegistrationResponseJSON`, what the service looks at. */
const Made = Type.Object({
  id: credentialId,
  response: Type.Object({
    clientDataJSON,
    attestationObject: bytes(65_536),
    transports: Type.Optional(Type.Array(Text(32), { maxItems: 16 })),
  }),
});
export type MadeCredential = Static<typeof Made>;

/** What a browser answers when it shows one: of `AuthenticationResponseJSON`, what the service looks at. */
export const ShownPasskey = Type.Object({
  id: credentialId,
  response: Type.Object({
    clientDataJSON,
    authenticatorData: bytes(8_192),
    signature: bytes(8_192),
    userHandle: Type.Optional(bytes(128)),
  }),
});
export type ShownCredential = Static<typeof ShownPasskey>;

const title = Title(100);

/** A passkey of an account. */
export const PasskeyRecord = Type.Object({
  id: Id,
  title: Type.String({ examples: ['Work laptop'] }),
  origin: Type.String({ description: 'address that it was made at', examples: ['https://hub.example'] }),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type PasskeyRecord = Static<typeof PasskeyRecord>;

const loginChallenge = Type.Optional(
  Text(64, { minLength: 1, description: 'that of a refused login, which the passkey is to finish' }),
);
const stranger = { tag: 'Login', auth: 'none', bodyLimitBytes: strangerBodyLimitBytes } as const;
const own = {
  tag: 'User',
  scope: 'all',
  limited: 'closed',
  access: 'user.self',
  audit: { what: 'user', id: 'caller' },
} as const;

/** Passkeys: WebAuthn in the place of a password, or as the second step behind one. Spec: API-RULE-passkey-1. */
export const passkeysContract = endpoints(own, {
  begin: {
    ...stranger,
    route: 'POST /api/auth/passkey',
    makesRoom: true,
    audit: { none: 'begins a sign-in; what comes of it is passkeys.open' },
    spec: ['API-RULE-passkey-1', 'API-LIMIT-passkey'],
    summary: 'Begin to sign in with a passkey, from a page of the service',
    description:
      'Without a body: with a passkey alone, of whichever account. With the challenge of a login that was refused with ' +
      'SECOND_FACTOR_REQUIRED: as its second step; null where the account has no passkey for this address.',
    body: Type.Object({ challenge: loginChallenge }),
    reply: Type.Object({ options: Nullable(PasskeyRequest) }),
    errors: [400, 403, 409, 413, 415, 429],
  },
  open: {
    ...stranger,
    route: 'POST /api/auth/session/passkey',
    makesRoom: true,
    spec: ['API-RULE-session-1', 'API-RULE-passkey-1', 'API-LIMIT-login'],
    summary: 'Log in with what the passkey has signed: the token comes in a cookie',
    body: Type.Object({ challenge: loginChallenge, credential: ShownPasskey }),
    reply: SessionRecord,
    errors: [400, 403, 413, 415, 429],
  },
  list: {
    route: 'GET /api/user/passkeys',
    withoutFactor: true,
    summary: 'Your passkeys',
    reply: Type.Array(PasskeyRecord),
    errors: [401],
  },
  register: {
    route: 'POST /api/user/passkeys/begin',
    proof: 'always',
    audit: { none: 'begins to make one; what comes of it is passkeys.add' },
    withoutFactor: true,
    spec: ['API-RULE-factor-2', 'API-RULE-passkey-2'],
    summary: 'Begin to add a passkey',
    reply: Type.Object({ options: PasskeyCreation }),
    errors: [400, 401, 403, 409, 413, 415, 429, 503],
  },
  add: {
    route: 'POST /api/user/passkeys',
    proof: 'always',
    withoutFactor: true,
    spec: ['API-RULE-passkey-1', 'API-RULE-passkey-2'],
    summary: 'Add the passkey that the browser has made; with a first factor your other login sessions end',
    body: Type.Object({ title, credential: Made }),
    reply: Type.Object(
      { passkey: PasskeyRecord, recovery_codes: RecoveryCodes },
      { description: 'no codes where you have some already' },
    ),
    errors: [400, 401, 403, 409, 413, 415],
  },
  rename: {
    route: 'PUT /api/user/passkeys/{passkey_id}',
    audit: { what: 'passkey', id: 'params.passkey_id' },
    summary: 'Give a passkey another name',
    body: Type.Object({ title }),
    reply: PasskeyRecord,
    errors: [400, 401, 403, 404, 413, 415],
  },
  remove: {
    route: 'POST /api/user/passkeys/{passkey_id}/remove',
    proof: 'always',
    audit: { what: 'passkey', id: 'params.passkey_id' },
    spec: ['API-RULE-factor-2'],
    summary: 'Forget a passkey; with the last factor the recovery codes go',
    errors: [400, 401, 403, 404, 413, 415, 429, 503],
  },
});

const Shown = Type.Object(
  { current_password: Type.Optional(Text(1024)), code: Type.Optional(Code), credential: Type.Optional(ShownPasskey) },
  ruled({ anyOf: [{ required: ['current_password'] }, { required: ['code'] }, { required: ['credential'] }] }),
);
export type ShownProof = Static<typeof Shown>;

/** Proof of who calls, before an account is changed by which it could be taken. Spec: API-RULE-proof-1. */
export const proofContract = endpoints(
  { tag: 'User', limited: 'closed' },
  {
    show: {
      route: 'POST /api/user/proof',
      scope: 'all',
      proof: 'in the body',
      access: 'user.self',
      audit: { none: 'what it is shown for leaves its own' },
      withoutFactor: true,
      spec: ['API-RULE-proof-1', 'API-LIMIT-login', 'API-LIMIT-factor'],
      summary: 'Show who you are once more: by your password, a code of your second factor, or a passkey',
      description:
        'What an account could be taken by is refused with PROOF_NEEDED unless this token has shown it within ten minutes; ' +
        'logging in counts as well. A passkey signs the challenge of `POST /api/auth/passkey` without a body.',
      body: Shown,
      reply: Type.Object({
        result: Type.Literal('ok'),
        until: { ...Timestamp, description: 'it is fresh until then' },
      }),
      errors: [400, 401, 403, 413, 415, 429, 503],
    },
  },
);
