import type { Result } from '@moorage/base';

/** What has to come back, or belongs to what does. */
export interface OidcSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: the code is of use to nobody else. */
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

/** Why nobody was signed in: no answer, a refusal of the provider, or an answer that is not good. */
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
