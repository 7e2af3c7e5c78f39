import { type ServiceAccountRecord, serviceScopes, tokenDaysLimit } from '@moorage/api';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { type CliCommand, defineCliCommand, UserError } from '../command-line/define.ts';
import { reportRows } from '../command-line/table.ts';
import { checkCount, wordsOf } from '../command-line/words.ts';

const parent = 'service-account';
const productArgument = { name: 'PRODUCT', help: 'code or id of the product' };
const nameArgument = { name: 'NAME', help: 'name of the account within the product' };
const both = [productArgument, nameArgument];

/** A service account of a product. @throws {UserError} when there is none of that name */
async function accountNamed(service: ServiceClient, product: string, name: string) {
  const { id: product_id } = await productNamed(service, product, 'Argument PRODUCT');
  const { value } = await service.call('serviceAccounts.list', { params: { product_id } });
  const account = value.find((one) => one.name === name);
  if (!account) throw new UserError(`Argument NAME is "${name}": product ${product} has no such service account`);
  return { account, params: { product_id, service_account_id: account.id } };
}

const row = ({ name, disabled_at, tokens }: ServiceAccountRecord) => [
  name,
  disabled_at === null ? '' : 'disabled',
  tokens.map(({ id, title, scopes }) => `${title} (${scopes.join(', ')}) ${id}`).join('; '),
];

const listCommand = defineCliCommand({
  name: 'list',
  parent,
  summary: 'List the service accounts of a product, with their tokens',
  arguments: [productArgument],
  options: clientOptions,
  async run({ options, args: [product = ''], reporter }) {
    const service = await connect(options, []);
    const { id: product_id } = await productNamed(service, product, 'Argument PRODUCT');
    const { value } = await service.call('serviceAccounts.list', { params: { product_id } });
    reportRows(reporter, { event: 'service-account', titles: ['name', 'standing', 'tokens'], row }, value);
  },
});

const addCommand = defineCliCommand({
  name: 'add',
  parent,
  summary: 'Add a service account to a product: for programs, whoever comes and goes',
  arguments: both,
  options: clientOptions,
  async run({ options, args: [product = '', name = ''], reporter }) {
    const service = await connect(options, [['name', 'Argument NAME']]);
    const { id: product_id } = await productNamed(service, product, 'Argument PRODUCT');
    const { value } = await service.call('serviceAccounts.create', { params: { product_id }, body: { name } });
    reporter.event('service-account', value, `Service account ${value.user} made; it needs a token`);
  },
});

/** A command that lets an account in or keeps it out. */
const change = (name: string, summary: string, disabled: boolean, now: string): CliCommand =>
  defineCliCommand({
    name,
    parent,
    summary,
    arguments: both,
    options: clientOptions,
    async run({ options, args: [product = '', account = ''], reporter }) {
      const service = await connect(options, []);
      const { params } = await accountNamed(service, product, account);
      const { value } = await service.call('serviceAccounts.update', { params, body: { disabled } });
      reporter.event('service-account', value, `Service account ${value.user} ${now}`);
    },
  });

const deleteCommand = defineCliCommand({
  name: 'delete',
  parent,
  summary: 'Delete a service account with its tokens',
  arguments: both,
  options: clientOptions,
  async run({ options, args: [product = '', name = ''], reporter }) {
    const service = await connect(options, []);
    const { account, params } = await accountNamed(service, product, name);
    await service.call('serviceAccounts.remove', { params });
    reporter.event('deleted', { user: account.user }, `Service account ${account.user} deleted`);
  },
});

const tokenCommand = defineCliCommand({
  name: 'token',
  parent,
  summary: 'Make a token of a service account, which is printed this once',
  arguments: both,
  options: {
    ...clientOptions,
    title: { kind: 'text', placeholder: 'TITLE', help: 'what it is for', default: 'Command line' },
    scopes: {
      kind: 'text',
      placeholder: 'SCOPES',
      help: `what it may do: ${serviceScopes.join(', ')}; several with commas between them`,
      default: 'read',
    },
    days: { kind: 'count', placeholder: 'DAYS', help: 'how long it is good', defaultText: 'for good' },
  },
  async run({ options, args: [product = '', name = ''], reporter }) {
    const { title, days } = options;
    const scopes = wordsOf(serviceScopes, options.scopes, 'Option --scopes');
    checkCount('days', days, tokenDaysLimit);
    const service = await connect(options, [['title', 'Option --title']]);
    const { account, params } = await accountNamed(service, product, name);
    const body = { title, scopes, ...(days !== undefined && { days }) };
    const { value } = await service.call('serviceAccounts.addToken', { params, body });
    reporter.event('token', value, `Token "${title}" of ${account.user}: ${value.token} (shown this once)`);
  },
});

const revokeCommand = defineCliCommand({
  name: 'revoke',
  parent,
  summary: 'Revoke a token of a service account',
  arguments: [...both, { name: 'TOKEN', help: 'id of the token, as the list has it' }],
  options: clientOptions,
  async run({ options, args: [product = '', name = '', token = ''], reporter }) {
    const service = await connect(options, [['token_id', 'Argument TOKEN']]);
    const { params } = await accountNamed(service, product, name);
    await service.call('serviceAccounts.removeToken', { params: { ...params, token_id: token } });
    reporter.event('revoked', { token_id: token }, `Token ${token} revoked`);
  },
});

/** Accounts of programs that belong to a product. */
export const serviceAccountCommands = [
  listCommand,
  addCommand,
  change('disable', 'Keep a service account out: its tokens do not work', true, 'is disabled'),
  change('enable', 'Let a disabled service account in again', false, 'may come in'),
  deleteCommand,
  tokenCommand,
  revokeCommand,
];
