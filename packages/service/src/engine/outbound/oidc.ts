import { type Clock, failure, hourMs, type Result, success } from '@moorage/base';
import * as oidc from 'openid-client';

/** How long the provider may take for each answer. */
const answerTimeoutS = 10;
/** How long what the provider says of itself is believed. */
const discoveryMs = hourMs;

export interface OidcOptions {
  /** `https://…`, or `http://` on this machine alone. */
  readonly issuer: string;
  readonly clientId: string;
  /** None for a public client, whose codes PKCE alone protects. */
  readonly clientSecret: string | undefined;
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  /** Where it sends the browser when it has signed a person out. */
  readonly signedOutUri: string;
  /** Names between spaces, beside `openid profile email`. */
  readonly scopes: string | undefined;
}

const usualScopes = 'openid profile email';

/** What went wrong, in the three kinds that a caller tells apart. */
function errorOf(error: unknown): OidcError {
  if (error instanceof oidc.AuthorizationResponseError) return { kind: 'refused', detail: error.error };
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  const detail = [String(error), typeof code === 'string' ? code : []].flat().join(' ').slice(0, 300);
  const failed = cause instanceof Response && cause.status >= 500;
  // The standard library's client throws a TypeError when it gets no answer.
  const isAway = failed || error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT';
  return { kind: isAway ? 'away' : 'invalid', detail };
}

const attempt = async <T>(work: () => Promise<T>): Promise<Result<T, OidcError>> => {
  try {
    return success(await work());
  } catch (error) {
    return failure(errorOf(error));
  }
};

type Network = oidc.CustomFetch | undefined;

const extensionsFor = ({ issuer }: OidcOptions) => (issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []);

/** What the provider says of itself: asked for when it is first needed, and each hour. */
function openMetadata(options: OidcOptions, clock: Clock, fetch: Network): () => Promise<oidc.ServerMetadata> {
  let known: { readonly metadata: oidc.ServerMetadata; readonly untilMs: number } | undefined;
  let underWay: Promise<oidc.ServerMetadata> | undefined;

  async function discover(): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(new URL(options.issuer), options.clientId, undefined, oidc.None(), {
      execute: extensionsFor(options),
      timeout: answerTimeoutS,
      ...(fetch && { [oidc.customFetch]: fetch }),
    });
    const metadata = { ...found.serverMetadata() };
    known = { metadata, untilMs: clock.monotonic() + discoveryMs };
    return metadata;
  }

  return async () => {
    const before = known;
    if (before && clock.monotonic() < before.untilMs) return before.metadata;
    underWay ??= discover().finally(() => {
      underWay = undefined;
    });
    // One that is away now was there before: what it said goes on.
    return before ? underWay.catch(() => before.metadata) : underWay;
  };
}

/**
 * A provider that is asked when a person signs in: one that is away keeps no service from starting. Each sign-in fetches
 * its keys anew, so they may change at any time.
 *
 * @param fetch the network, for tests
 */
export function openOidc(options: OidcOptions, clock: Clock, fetch?: Network): OidcProvider {
  const { clientId, clientSecret, redirectUri, signedOutUri } = options;
  const scope = options.scopes === undefined ? usualScopes : `${usualScopes} ${options.scopes}`;
  const metadata = openMetadata(options, clock, fetch);

  async function configuration(): Promise<oidc.Configuration> {
    const server = await metadata();
    const made = new oidc.Configuration(server, clientId, undefined, authentication(server, clientSecret));
    for (const extend of [...extensionsFor(options), oidc.enableNonRepudiationChecks]) extend(made);
    made.timeout = answerTimeoutS;
    if (fetch) made[oidc.customFetch] = fetch;
    return made;
  }

  async function personOf(query: string, { state, nonce, verifier }: OidcSecrets): Promise<OidcPerson> {
    const made = await configuration();
    const url = new URL(redirectUri);
    url.search = query;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const answer = await oidc.authorizationCodeGrant(made, url, checks);
    const claims = answer.claims();
    if (!claims || answer.id_token === undefined) throw new Error('The provider sent no ID token');
    // Everybody at such a provider would share an account. Spec: API-RULE-sso-2.
    if (claims.sub.trim() === '') throw new Error('The provider sent an ID token without a subject');
    // Many providers say who the person is there, and in the token only that they have signed in.
    const more = made.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(made, answer.access_token, claims.sub)
      : {};
    return { issuer: claims.iss, subject: claims.sub, claims: { ...claims, ...more }, idToken: answer.id_token };
  }

  return {
    begin: () =>
      attempt(async () => {
        const made = await configuration();
        const secrets = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(made, {
          redirect_uri: redirectUri,
          scope,
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
        });
        return { ...secrets, url: url.href };
      }),
    finish: (query, expected) => attempt(() => personOf(query, expected)),
    async signOutUrl(idToken) {
      const found = await attempt(async () => {
        const made = await configuration();
        if (!made.serverMetadata().end_session_endpoint) return undefined;
        const hint = idToken === '' ? {} : { id_token_hint: idToken };
        const parameters = { ...hint, post_logout_redirect_uri: signedOutUri };
        return oidc.buildEndSessionUrl(made, parameters).href;
      });
      return found.ok ? found.value : undefined;
    },
  };
}

/** How the service shows who it is: as the provider lists, by the header where it lists nothing. */
function authentication(server: oidc.ServerMetadata, secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret);
}

/** What has to come back, or belongs to what does. */
export interface OidcSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: the code is of use to no other client. */
  readonly verifier: string;
}

/** A person whom the provider has signed in. */
export interface OidcPerson {
  readonly issuer: string;
  /** Who it is to the provider, for good. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** With it the provider ends its own session. */
  readonly idToken: string;
}

/** Why a person was not signed in: no answer, a refusal of the provider, or an answer that is not good. */
export interface OidcError {
  readonly kind: 'away' | 'refused' | 'invalid';
  /** For the log. */
  readonly detail: string;
}

/** A provider of OpenID Connect. It never throws for what the provider or the network does. */
export interface OidcProvider {
  /** The page of the provider that signs a person in. */
  begin(): Promise<Result<OidcSecrets & { readonly url: string }, OidcError>>;
  /** The person, for what the browser was sent back with. */
  finish(query: string, expected: OidcSecrets): Promise<Result<OidcPerson, OidcError>>;
  /**
   * The page of the provider that signs them out again; none where it has no such page.
   *
   * @param idToken empty where it is not known
   */
  signOutUrl(idToken: string): Promise<string | undefined>;
}
