import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Text, Timestamp } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { Code } from './factors.ts';
import { ShownPasskey } from './passkeys.ts';

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
