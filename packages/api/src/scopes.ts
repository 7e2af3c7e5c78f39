import type { EndpointShape } from './endpoint.ts';

/** What tokens may be for; `all` is every one of them, and each of the others reads. Spec: API-RULE-token-3. */
export const tokenScopes = ['all', 'read', 'operate', 'publish', 'administer'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The scope that a token needs for an endpoint; none for one that no token is shown to. Spec: API-RULE-token-3. */
export const scopeOf = ({ scope, auth }: Pick<EndpointShape, 'scope' | 'auth'>): TokenScope | undefined =>
  scope ?? (auth === 'bearer' ? 'read' : undefined);

/** Whether a token with these scopes may do what needs that one: each of them reads. */
export const grants = (scopes: readonly TokenScope[], needed: TokenScope): boolean =>
  needed === 'read' || scopes.includes('all') || scopes.includes(needed);
