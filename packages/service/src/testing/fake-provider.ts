import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { realClock } from '@moorage/base';
import type { openOidc } from '../engine/outbound/oidc.ts';

export const issuer = 'https://id.test';
export const clientId = 'moorage';

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2_048 });
type KeyPair = ReturnType<typeof keyPair>;
// Once for all tests of a file: making them takes longest.
const keys = [keyPair(), keyPair()] as const;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a test has the provider do wrong. */
export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with a key that it does not show. */
  readonly wrongKey?: boolean;
  readonly unsigned?: boolean;
}

const key = (index: number): KeyPair => keys[index === 0 ? 0 : 1];
const kid = (index: number): string => `key ${index}`;

/** An ID token with these claims, signed by a key, or forged. */
function idToken(claims: Readonly<Record<string, unknown>>, current: number, forgery: Forgery): string {
  const header = { alg: forgery.unsigned ? 'none' : 'RS256', kid: kid(current), ...forgery.header };
  const text = `${encoded(header)}.${encoded({ ...claims, ...forgery.claims })}`;
  if (forgery.unsigned) return `${text}.`;
  const { privateKey } = key(forgery.wrongKey ? 1 - current : current);
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
}

/** What it says of itself. */
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
  jwks_uri: `${issuer}/keys`,
  end_session_endpoint: `${issuer}/leave`,
  authorization_response_iss_parameter_supported: true,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'none'],
};

/**
 * A provider of OpenID Connect without a network: it signs in whom it is told to.
 *
 * @param hasUserinfo false for one that says who somebody is in the ID token alone
 */
export function fakeProvider(hasUserinfo = true) {
  let current = 0;
  let isAway = false;
  let discoveries = 0;
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string; readonly token: string }>();
  const people = new Map<string, Readonly<Record<string, unknown>>>();

  function answer(path: string, body: URLSearchParams, headers: Headers): Response {
    if (path === '/.well-known/openid-configuration') {
      discoveries += 1;
      return Response.json({ ...metadata, ...(!hasUserinfo && { userinfo_endpoint: undefined }) });
    }
    if (path === '/keys') {
      const jwk = key(current).publicKey.export({ format: 'jwk' });
      return Response.json({ keys: [{ ...jwk, kid: kid(current), use: 'sig', alg: 'RS256' }] });
    }
    if (path === '/me') {
      const claims = people.get((headers.get('authorization') ?? '').replace('Bearer ', ''));
      return claims ? Response.json(claims) : Response.json({}, { status: 401 });
    }
    const code = body.get('code') ?? '';
    const issued = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (path !== '/token' || issued?.challenge !== challenge) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    people.set(code, JSON.parse(Buffer.from(issued.token.split('.')[1] ?? '', 'base64url').toString()));
    return Response.json({ access_token: code, token_type: 'Bearer', expires_in: 60, id_token: issued.token });
  }

  const fetch: NonNullable<Parameters<typeof openOidc>[2]> = async (url, { body, headers }) => {
    if (isAway) throw new TypeError('fetch failed');
    const { pathname } = new URL(url);
    return answer(pathname, new URLSearchParams(String(body ?? '')), new Headers(headers));
  };

  return {
    fetch,
    /** Signs somebody in at the page that a browser was led to; what the address has when it comes back. */
    signIn(url: string, person: Readonly<Record<string, unknown>>, forgery: Forgery = {}): string {
      const asked = new URL(url).searchParams;
      const code = randomUUID();
      const seconds = Math.floor(realClock.now() / 1_000);
      const nonce = asked.get('nonce') ?? '';
      const own = { iss: issuer, aud: clientId, iat: seconds, exp: seconds + 60, nonce };
      const token = idToken({ ...own, email_verified: true, ...person }, current, forgery);
      codes.set(code, { nonce, challenge: asked.get('code_challenge') ?? '', token });
      return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer }).toString();
    },
    /** From now on it signs with another key, and shows that one alone. */
    rotate: () => {
      current = 1 - current;
    },
    setAway: (value: boolean) => {
      isAway = value;
    },
    discoveries: () => discoveries,
  };
}
