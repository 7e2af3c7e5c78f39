import { tokenDaysLimit, tokenScopes } from '@moorage/api';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { checkCount, wordsOf } from '../command-line/words.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const tokenAddCommand = defineCliCommand({
  name: 'add',
  parent: 'token',
  summary: 'Make a bearer token for an account; the service may be running',
  arguments: [{ name: 'EMAIL', help: 'address or user name of the account' }],
  options: withStorageOptions({
    title: { kind: 'text', placeholder: 'TITLE', help: 'what it is for', default: 'Command line' },
    scopes: {
      kind: 'text',
      placeholder: 'SCOPES',
      help: `what it may do: ${tokenScopes.join(', ')}; several with commas between them`,
      default: 'all',
    },
    products: {
      kind: 'text',
      placeholder: 'PRODUCTS',
      help: 'full codes of the only products that it is for, with commas between them',
      defaultText: 'any',
    },
    days: { kind: 'count', placeholder: 'DAYS', help: 'how long it is good', defaultText: 'for good' },
  }),
  async run({ options: { title, scopes: wanted, products, days }, sources, args: [name = ''], reporter }) {
    const { isTokenTitle } = await import('@moorage/service/administration');
    if (!isTokenTitle(title)) throw new UserError('Option --title must have 1 to 100 characters', 2);
    const scopes = wordsOf(tokenScopes, wanted, 'Option --scopes');
    checkCount('days', days, tokenDaysLimit);
    const limits = { scopes, products: products?.split(',') ?? [], days };
    const made = await onStorage(sources, ({ addToken }, place) => addToken(place, name, title, limits));
    if (!made.ok) throw new UserError(made.error.message);
    const token = made.value;
    reporter.event('token', { title, token }, `Token "${title}" of ${name}: ${token} (shown this once)`);
  },
});
