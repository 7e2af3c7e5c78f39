/** What tokens may be for; `all` is every one of them, and each of the others reads. Spec: API-RULE-token-3. */
export const tokenScopes = ['all', 'read', 'operate', 'publish', 'administer'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** Whether a token with these scopes may do what needs that one: each of them reads. */
export const grants = (scopes: readonly TokenScope[], needed: TokenScope): boolean =>
  needed === 'read' || scopes.includes('all') || scopes.includes(needed);
