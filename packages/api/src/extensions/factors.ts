import Type, { type Static } from 'typebox';
import { Session, SessionRecord } from '../core/auth.ts';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Nullable, Text, Timestamp } from '../fields.ts';

/** The challenge of a refused login: SECOND_FACTOR_REQUIRED names it. */
const challenge = Text(64, { minLength: 1, description: 'the challenge that the refused login has named' });

export const Code = Text(40, {
  minLength: 6,
  description: 'six digits of the app, or a recovery code in either letter case',
  examples: ['123456'],
});

/** Recovery codes, in the reply that made them. */
export const RecoveryCodes = Type.Array(Type.String({ examples: ['k3vq-8m2x-r7tn-5hdc'] }), {
  description: 'shown this once; each of them opens one session',
});

/** The second factor of an account. */
export const SecondFactor = Type.Object({
  needed: Type.Boolean({ description: 'the policy of the service wants one of this account' }),
  totp: Nullable(Type.Object({ created_at: Timestamp }, { description: 'an app that shows codes' })),
  passkeys: Type.Integer({ description: 'how many there are' }),
  recovery_codes: Type.Integer({ description: 'how many are left' }),
});
export type SecondFactor = Static<typeof SecondFactor>;

const stranger = { tag: 'Login', auth: 'none', bodyLimitBytes: strangerBodyLimitBytes } as const;
const own = {
  tag: 'User',
  limited: 'closed',
  access: 'user.self',
  audit: { what: 'user', id: 'caller' },
} as const;
const changes = {
  ...own,
  scope: 'all',
  proof: 'always',
  errors: [400, 401, 403, 404, 413, 415, 429, 503],
} as const;

/** The second factor of accounts: at login, and in the hands of their users. Spec: API-RULE-factor-1. */
export const factorsContract = endpoints(own, {
  login: {
    ...stranger,
    route: 'POST /api/auth/second-factor',
    spec: ['API-RULE-factor-1', 'API-LIMIT-factor'],
    summary: 'Finish a login with a code of the second factor',
    description:
      'A login with the right password of an account with a second factor is refused: 401 SECOND_FACTOR_REQUIRED, ' +
      'whose body names a challenge. It is good for five minutes, five codes and one session.',
    body: Type.Object({ challenge, code: Code }),
    reply: Session,
    errors: [400, 403, 413, 415, 429],
  },
  open: {
    ...stranger,
    route: 'POST /api/auth/session/second-factor',
    spec: ['API-RULE-session-1', 'API-RULE-factor-1', 'API-LIMIT-factor'],
    summary: 'Finish a login from a page of the service: the token comes in a cookie',
    body: Type.Object({ challenge, code: Code }),
    reply: SessionRecord,
    errors: [400, 403, 413, 415, 429],
  },
  get: {
    route: 'GET /api/user/second-factor',
    withoutFactor: true,
    summary: 'Your second factor',
    reply: SecondFactor,
    errors: [401],
  },
  setUpTotp: {
    ...changes,
    route: 'POST /api/user/second-factor/totp',
    withoutFactor: true,
    spec: ['API-RULE-factor-2'],
    summary: 'Make a secret for an app that shows codes; it counts once a code of it is confirmed',
    reply: Type.Object({
      secret: Type.String({ description: 'base32, shown this once', examples: ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'] }),
      url: Type.String({ description: 'otpauth address, for a QR code' }),
    }),
  },
  confirmTotp: {
    ...changes,
    route: 'POST /api/user/second-factor/totp/confirm',
    withoutFactor: true,
    spec: ['API-RULE-factor-2'],
    summary: 'Confirm the secret with a code of the app; with a first factor your other login sessions end',
    body: Type.Object({ code: Code }),
    reply: Type.Object({ recovery_codes: RecoveryCodes }, { description: 'no codes where you have some already' }),
  },
  removeTotp: {
    ...changes,
    route: 'POST /api/user/second-factor/totp/remove',
    spec: ['API-RULE-factor-2'],
    summary: 'Forget the app; with the last factor the recovery codes go',
  },
  renewCodes: {
    ...changes,
    route: 'POST /api/user/second-factor/recovery-codes',
    spec: ['API-RULE-factor-2', 'API-RULE-factor-3'],
    summary: 'Make ten recovery codes; those before stop working',
    reply: Type.Object({ recovery_codes: RecoveryCodes }),
  },
});
