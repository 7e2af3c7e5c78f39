import { contract, endpointsOf } from '../../packages/api/src/contract.ts';
import { beyondProducts, endpointScopes } from '../../packages/api/src/scopes.ts';
import { authorisation, roles } from '../../packages/service/src/auth/rules.ts';
import { code, page, table } from '../support/markdown.ts';

const mark = (yes: boolean): string => (yes ? 'yes' : '');

/** docs/generated/access.md: who may do what, and which scope a token needs for each endpoint. */
export function renderAccess(): string {
  const scopes: Readonly<Record<string, string>> = endpointScopes;
  const beyond: readonly string[] = beyondProducts;
  const endpoints = endpointsOf(contract).flatMap(({ name, shape }) => {
    const scope = scopes[name];
    return scope === undefined
      ? []
      : [[code(`${shape.method} ${shape.path}`), scope, beyond.includes(name) ? 'about no product' : '']];
  });
  return page(
    'Who may do what',
    'A request passes two tables: what its user may do, by what they are to the thing, and what its token may do. `packages/service/src/authorisation.test.ts` walks both, cell by cell.',
    '## Roles',
    'From `packages/service/src/auth/rules.ts`, where each role is explained. Who may not even see the thing finds nothing (404), everybody else is refused (403).',
    table(
      ['to', ...roles],
      Object.values(authorisation).map(({ doing, may }) => [
        doing,
        ...roles.map((role) => mark((may as readonly string[]).includes(role))),
      ]),
    ),
    '## Scopes',
    'From `packages/api/src/scopes.ts`. Each scope reads, `all` does everything; a session has all of them. What is refused is 403 `TOKEN_SCOPE`. A token that is limited to products is refused (403 `TOKEN_PRODUCT`) what names another or none, but for what is about no product. Endpoints that are not here take no token.',
    table(['endpoint', 'scope', 'a token with products'], endpoints),
  );
}
