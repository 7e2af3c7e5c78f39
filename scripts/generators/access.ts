import { contract, endpointsOf } from '../../packages/api/src/contract.ts';
import { type EndpointShape, scopeOf } from '../../packages/api/src/endpoint.ts';
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

/** The rights of the table above by which an endpoint is judged. */
const accessOf = ({ auth, access = [] }: EndpointShape): string =>
  [auth === 'none' ? [] : access]
    .flat()
    .map((right) => (right === 'filtered' ? 'each of what they see' : code(right)))
    .join(' ');

const ids: Readonly<Record<string, string>> = {
  made: ', made by it',
  caller: ', of the caller',
  logged: ', as logged',
};

/** What a row of the audit says a change is about. */
function auditOf({ method, audit }: EndpointShape): string {
  if (method === 'GET' || !audit) return '';
  if ('none' in audit) return `nothing: ${audit.none}`;
  return `${audit.what.replaceAll('_', ' ')}${audit.id === undefined ? '' : (ids[audit.id] ?? '')}`;
}

/** docs/generated/access.md: who may do what, what a token needs for each endpoint, and what is kept of a change. */
export function renderAccess(): string {
  const endpoints = endpointsOf(contract).flatMap(({ shape }) => {
    const scope = scopeOf(shape);
    const token = scope === undefined ? ['', ''] : [scope, limitOf(shape)];
    const row = [code(`${shape.method} ${shape.path}`), accessOf(shape), ...token, proofOf(shape), auditOf(shape)];
    return scope === undefined && row.at(-1) === '' ? [] : [row];
  });
  return page(
    'Who may do what',
    'A request passes two tables: what its user may do, by what they are to the thing, and what its token may do. `packages/service/src/authorisation.test.ts` walks both, cell by cell.',
    '## Roles',
    'From `packages/service/src/core/access/rules.ts`, where each role is explained. Who may not even see the thing finds nothing (404), everybody else is refused (403).',
    table(
      ['right', 'to', ...roles],
      Object.entries(authorisation).map(([right, { doing, may }]) => [
        code(right),
        doing,
        ...roles.map((role) => mark((may as readonly string[]).includes(role))),
      ]),
    ),
    '## Endpoints',
    'From the entries of the contract, `packages/api/src`. **Right**: the row of the table above that decides; several where it depends on what is sent. **Scope**: each scope reads, `all` does everything; a session has all of them. What is refused is 403 `TOKEN_SCOPE`. What makes credentials or gives them away, and what changes people, roles and doors, needs `all`. **Limited to products**: what such a token may do; another request is 403 `TOKEN_PRODUCT`. **Fresh proof**: the user has to have shown a password, a passkey or a code with this very token within ten minutes, as logging in does; otherwise 403 `PROOF_NEEDED`. **Audit**: what the row of a change is about. Endpoints that are not here take no token and change nothing.',
    table(['endpoint', 'right', 'scope', 'limited to products', 'fresh proof', 'audit'], endpoints),
  );
}
