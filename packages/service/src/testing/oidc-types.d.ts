/** What the tests use of a provider of OpenID Connect that has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly provider: Provider;
    };
  }

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Grant: new (of: {
      readonly clientId: string;
      readonly accountId: string;
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    callback(): RequestListener;
  }
  export type { Context };
}
