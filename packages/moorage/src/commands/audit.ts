import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type AuditRecord, exportFormats } from '@moorage/api';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { reportRows, timeText } from '../command-line/table.ts';

const parent = 'audit';

const filterOptions = {
  ...clientOptions,
  user: { kind: 'text', placeholder: 'USER', help: 'changes of this person: user name' },
  object: { kind: 'text', placeholder: 'ID', help: 'changes of this object, or of what belongs to this product' },
  action: { kind: 'text', placeholder: 'ACTION', help: 'such changes, as products.setState' },
  from: { kind: 'text', placeholder: 'TIME', help: 'from this day or moment on, such as 2025-01-31 (UTC)' },
  to: { kind: 'text', placeholder: 'TIME', help: 'before this day or moment' },
} as const;

type Filters = Readonly<Partial<Record<'user' | 'object' | 'action' | 'from' | 'to', string | undefined>>>;

/** A moment of an option, epoch ms. @throws {UserError} when it is none */
function momentOf(text: string, option: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UserError(`Option --${option} is "${text}", not a day such as 2025-01-31`, 2);
  return at;
}

const queryOf = ({ user, object, action, from, to }: Filters) => ({
  ...(user !== undefined && { user }),
  ...(object !== undefined && { object }),
  ...(action !== undefined && { action }),
  ...(from !== undefined && { from: momentOf(from, 'from') }),
  ...(to !== undefined && { to: momentOf(to, 'to') }),
});

const row = ({ seq, at, user, token, ip, action, object_kind, object_id, message }: AuditRecord) => [
  seq,
  timeText(at, 'second'),
  user,
  token,
  ip,
  action,
  message ?? `${object_kind ?? ''} ${object_id ?? ''}`,
];

const listCommand = defineCliCommand({
  name: 'list',
  parent,
  summary: 'Who has changed what, the newest first',
  options: {
    ...filterOptions,
    limit: { kind: 'count', placeholder: 'ROWS', default: 20, help: 'as many rows at most' },
  },
  async run({ options, reporter }) {
    const service = await connect(options, []);
    const query = queryOf(options);
    const found = await service.all(
      (page) => service.call('audit.list', { query: { ...query, ...page } }),
      options.limit,
    );
    const titles = ['row', 'when (UTC)', 'user', 'with', 'from', 'action', 'what'];
    reportRows(reporter, { event: 'change', titles, row }, found);
  },
});

const exportCommand = defineCliCommand({
  name: 'export',
  parent,
  summary: 'Write the audit, or what the filters leave of it, as JSON lines or CSV, the oldest first',
  arguments: [{ name: 'FILE', help: 'where to; its ending says the form: .jsonl or .csv' }],
  options: filterOptions,
  async run({ options, args: [file = ''], reporter }) {
    const format = exportFormats.find((one) => file.endsWith(`.${one}`));
    if (!format) throw new UserError(`Argument FILE is "${file}", which ends neither in .jsonl nor in .csv`, 2);
    const { api, token } = await connect(options, []);
    const query = new URLSearchParams({ format, sort: 'seq' });
    for (const [name, value] of Object.entries(queryOf(options))) query.set(name, String(value));
    const address = `${api}/api/audit?${query}`;
    const reply = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    if (!reply.ok || !reply.body) {
      const { message } = (await reply.json()) as { readonly message: string };
      throw new UserError(message);
    }
    // Safe: the two libraries describe the same streams.
    const bytes = Readable.fromWeb(reply.body as ReadableStream);
    await pipeline(bytes, createWriteStream(file)).catch((error: Error) => {
      throw new UserError(`"${file}" could not be written: ${error.message}`, 1, { cause: error });
    });
    reporter.event('exported', { file }, `${file} written`);
  },
});

const verifyCommand = defineCliCommand({
  name: 'verify',
  parent,
  summary: 'Check that no row of the audit was altered, removed, added or moved; administrators',
  options: {
    ...clientOptions,
    noted: {
      kind: 'text',
      placeholder: 'ROW:HASH',
      help: 'what an earlier check has printed: finds also a chain that was made anew as a whole',
    },
    days: {
      kind: 'count',
      placeholder: 'DAYS',
      help: 'how long rows were kept when the oldest went, where that was not --audit-days',
    },
  },
  async run({ options, reporter }) {
    const [seq, hash] = options.noted?.split(':') ?? [];
    if (options.noted !== undefined && !(/^[1-9]\d*$/.test(seq ?? '') && /^[0-9a-f]{64}$/.test(hash ?? ''))) {
      throw new UserError(`Option --noted is "${options.noted}", not ROW:HASH`, 2);
    }
    const service = await connect(options, []);
    const { days } = options;
    const query = {
      ...(seq !== undefined && hash !== undefined && { seq: Number(seq), hash }),
      ...(days !== undefined && { days }),
    };
    const { value } = await service.call('audit.verify', { query });
    if (value.problem) throw new UserError(value.problem.text);
    const { first_seq, last_seq, hash: newest } = value;
    const text = `The audit is whole: rows ${first_seq} to ${last_seq}\nNote this elsewhere: ${last_seq}:${newest}`;
    reporter.event('verified', value, text);
  },
});

/** Who has changed what in a service. */
export const auditCommands = [listCommand, exportCommand, verifyCommand];
