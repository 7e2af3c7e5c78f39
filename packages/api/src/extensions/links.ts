import Type from 'typebox';
import { Email, NewPassword } from '../core/auth.ts';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Text } from '../fields.ts';

/** The token in a link that an account was mailed. */
const token = Text(64, { minLength: 1, description: 'the token in the link' });

const shared = { tag: 'Login', auth: 'none', audit: { what: 'user', id: 'caller' } } as const;

/** Links that accounts are mailed. Each is good once, for an hour; one that undoes a change or confirms an address for alerts, for a week. Spec: API-RULE-link-1. */
export const userLinksContract = endpoints(shared, {
  forgotten: {
    route: 'POST /api/auth/forgotten',
    audit: { none: 'anybody may ask for a mail; what comes of it is links.reset' },
    spec: ['API-RULE-link-2', 'API-LIMIT-links'],
    summary: 'Mail a link to the account of an address by which it gets another password',
    description: 'The reply is the same whether or not there is such an account.',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ email: Email }),
    errors: [400, 409, 413, 415, 429],
  },
  reset: {
    route: 'POST /api/auth/reset',
    spec: ['API-RULE-link-1'],
    summary: 'Choose another password with a link; all login sessions end, tokens made by hand stay',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ token, password: NewPassword }),
    errors: [400, 403, 413, 415, 429, 503],
  },
  confirm: {
    route: 'POST /api/auth/confirm',
    spec: ['API-RULE-link-1', 'API-RULE-alert-6'],
    summary:
      'Confirm the address of an account with a link, give it the address that the link was mailed to, or let alerts go there',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ token }),
    errors: [400, 403, 409, 413, 415, 429],
  },
  undo: {
    route: 'POST /api/auth/undo',
    spec: ['API-RULE-link-3'],
    summary: 'Give an account the address back that it had, with a link that this one was mailed when it was changed',
    description:
      'All login sessions end. Tokens, passkeys, apps for codes and links to single sign-on that were added since an hour ' +
      'before the change go, and a link for another password is mailed.',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ token }),
    errors: [400, 403, 413, 415, 429],
  },
  askConfirmation: {
    route: 'POST /api/user/confirmation',
    scope: 'all',
    limited: 'closed',
    access: 'user.self',
    spec: ['API-LIMIT-links'],
    tag: 'User',
    summary: 'Mail yourself a link that confirms your address',
    auth: 'bearer',
    errors: [401, 403, 409, 429],
  },
});
