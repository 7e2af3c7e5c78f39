import { contract, endpointsOf } from '../../packages/api/src/contract.ts';
import type { EndpointShape } from '../../packages/api/src/endpoint.ts';
import { scopeOf } from '../../packages/api/src/endpoint.ts';
import { authorisation, roles } from '../../packages/service/src/core/access/rules.ts';
import { code, page, table } from '../support/markdown.ts';

const mark = (yes: boolean): string => (yes ? 'yes' : '');

const limits = { closed: 'nothing', open: 'as its user: about no product' };

const limitOf = ({ limited = 'closed' }: EndpointShape): string =>
  typeof limited === 'string'
    ? limits[limited]
    : `what ${limited.map(code).join(', ')} name${limited.length === 1 ? 's' : ''}`;

const proofs = { always: 'yes', 'in the body': 'the body has it' };

const proofOf = ({ proof }: EndpointShape): string => {
  if (proof === undefined) return '';
  return typeof proof === 'string' ? proofs[proof] : `when ${proof.when}`;
};

/** docs/generated/access.md: who may do what, and what a token needs for each endpoint. */
export function renderAccess(): string {
  const endpoints = endpointsOf(contract).flatMap(({ shape }) => {
    const scope = scopeOf(shape);
    return scope === undefined ? [] : [[code(`${shape.method} ${shape.path}`), scope, limitOf(shape), proofOf(shape)]];
  });
  return page(
    'Who may do what',
    'A request passes two tables: what its user may do, by what they are to the thing, and what its token may do. `packages/service/src/authorisation.test.ts` walks both, cell by cell.',
    '## Roles',
    'From `packages/service/src/core/access/rules.ts`, where each role is explained. Who may not even see the thing finds nothing (404), everybody else is refused (403).',
    table(
      ['to', ...roles],
      Object.values(authorisation).map(({ doing, may }) => [
        doing,
        ...roles.map((role) => mark((may as readonly string[]).includes(role))),
      ]),
    ),
    '## Tokens',
    'From the entries of the contract, `packages/api/src`. **Scope**: each scope reads, `all` does everything; a session has all of them. What is refused is 403 `TOKEN_SCOPE`. What makes credentials or gives them away, and what changes people, roles and doors, needs `all`. **Limited to products**: what such a token may do; another request is 403 `TOKEN_PRODUCT`. **Fresh proof**: the user has to have shown a password, a passkey or a code with this very token within ten minutes, as logging in does; otherwise 403 `PROOF_NEEDED`. Endpoints that are not here take no token.',
    table(['endpoint', 'scope', 'limited to products', 'fresh proof'], endpoints),
  );
}
