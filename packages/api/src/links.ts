import Type from 'typebox';
import { Email, NewPassword } from './auth.ts';
import { endpoints, strangerBodyLimitBytes } from './endpoint.ts';
import { ResultOk, Text } from './fields.ts';

/** The token in a link that an account was mailed. */
const token = Text(64, { minLength: 1, description: 'the token in the link' });

const shared = { tag: 'Login', auth: 'none', reply: ResultOk } as const;

/** Links that accounts are mailed. Each is good once, for an hour. Spec: API-RULE-link-1. */
export const userLinksContract = endpoints(shared, {
  forgotten: {
    method: 'POST',
    path: '/api/auth/forgotten',
    spec: ['API-EP-POST-auth-forgotten', 'API-RULE-link-2', 'API-LIMIT-links'],
    summary: 'Mail a link to the account of an address by which it gets another password',
    description: 'The reply is the same whether or not there is such an account.',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ email: Email }),
    errors: [400, 409, 413, 415, 429],
  },
  reset: {
    method: 'POST',
    path: '/api/auth/reset',
    spec: ['API-EP-POST-auth-reset', 'API-RULE-link-1'],
    summary: 'Choose another password with a link; all login sessions end, tokens made by hand stay',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ token, password: NewPassword }),
    errors: [400, 403, 413, 415, 503],
  },
  confirm: {
    method: 'POST',
    path: '/api/auth/confirm',
    spec: ['API-EP-POST-auth-confirm', 'API-RULE-link-1'],
    summary: 'Confirm the address of an account with a link',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ token }),
    errors: [400, 403, 413, 415],
  },
  askConfirmation: {
    method: 'POST',
    path: '/api/user/confirmation',
    spec: ['API-EP-POST-user-confirmation', 'API-LIMIT-links'],
    tag: 'User',
    summary: 'Mail yourself a link that confirms your address',
    auth: 'bearer',
    errors: [401, 403, 409, 429],
  },
});
