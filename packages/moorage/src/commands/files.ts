import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileRecord, Reply } from '@moorage/api';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect, type FieldSources, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { reportRows, timeText } from '../command-line/table.ts';
import { readGiven } from '../files/given-file.ts';

const parent = 'files';
const ownerOptions = {
  ...clientOptions,
  device: { kind: 'text', placeholder: 'DEVICE', help: 'of this device: id, uuid, MAC or Bluetooth address' },
  product: { kind: 'text', placeholder: 'PRODUCT', help: 'of this product: code or id' },
} as const;
const pathArgument = { name: 'PATH', help: 'path in the service, such as images/plan.png' } as const;
const sources: FieldSources = [
  ['device_id', 'Option --device'],
  ['product_id', 'Option --product'],
  ['path', 'Argument PATH'],
  ['prefix', 'Argument PREFIX'],
];

/** The files of one device, or of one product. */
interface Files {
  list(query: { limit: number; offset: number; prefix?: string }): Promise<Reply<FileRecord[]>>;
  get(path: string): Promise<Reply<Uint8Array>>;
  put(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Reply<FileRecord>>;
  remove(path: string): Promise<unknown>;
}

const deviceFiles = (service: ServiceClient, device_id: string): Files => ({
  list: (query) => service.call('deviceFiles.list', { params: { device_id }, query }),
  get: (path) => service.call('deviceFiles.get', { params: { device_id, path } }),
  put: (path, body) => service.call('deviceFiles.upload', { params: { device_id, path }, body }),
  remove: (path) => service.call('deviceFiles.remove', { params: { device_id, path } }),
});

const productFiles = (service: ServiceClient, product_id: string): Files => ({
  list: (query) => service.call('assets.list', { params: { product_id }, query }),
  get: (path) => service.call('assets.get', { params: { product_id, path } }),
  put: (path, body) => service.call('assets.upload', { params: { product_id, path }, body }),
  remove: (path) => service.call('assets.remove', { params: { product_id, path } }),
});

type OwnerOptions = Parameters<typeof connect>[0] & {
  readonly device: string | undefined;
  readonly product: string | undefined;
};

/** The files that the options mean. @throws {UserError} unless they name one owner */
async function openFiles(options: OwnerOptions): Promise<{ readonly service: ServiceClient; readonly files: Files }> {
  const { device, product } = options;
  if ((device === undefined) === (product === undefined)) {
    throw new UserError('One of --device and --product has to say whose files', 2);
  }
  const service = await connect(options, sources);
  if (device !== undefined) return { service, files: deviceFiles(service, device) };
  return { service, files: productFiles(service, (await productNamed(service, product ?? '')).id) };
}

const row = ({ path, size, mime, updated_at }: FileRecord) => [path, size, mime, timeText(updated_at, 'minute')];

export const filesListCommand = defineCliCommand({
  name: 'list',
  parent,
  summary: 'List the files of a device or a product in the service',
  arguments: [{ name: 'PREFIX', help: 'only paths that begin so', optional: true }],
  options: ownerOptions,
  async run({ options, args: [prefix], reporter }) {
    const { service, files } = await openFiles(options);
    const found = await service.all((page) => files.list({ ...page, ...(prefix !== undefined && { prefix }) }));
    reportRows(reporter, { event: 'file', titles: ['path', 'bytes', 'type', 'written (UTC)'], row }, found);
  },
});

export const filesGetCommand = defineCliCommand({
  name: 'get',
  parent,
  summary: 'Download a file',
  arguments: [pathArgument],
  options: {
    ...ownerOptions,
    output: {
      kind: 'text',
      placeholder: 'FILE',
      help: 'where to; - for the standard output',
      defaultText: 'its name, here',
    },
  },
  async run({ options, args: [path = ''], reporter }) {
    const { files } = await openFiles(options);
    const { value } = await files.get(path);
    const target = options.output ?? basename(path);
    if (target === '-') return void process.stdout.write(value);
    await writeFile(target, value).catch((error: Error) => {
      throw new UserError(`"${target}" cannot be written: ${error.message}`, 1, { cause: error });
    });
    reporter.event('file', { path, size: value.length, target }, `${target}: ${value.length} bytes`);
  },
});

export const filesPutCommand = defineCliCommand({
  name: 'put',
  parent,
  summary: 'Upload a file, in place of the one that has the path',
  arguments: [
    { name: 'FILE', help: 'file of this machine' },
    { ...pathArgument, optional: true },
  ],
  options: ownerOptions,
  async run({ options, args: [file = '', path = basename(file)], reporter }) {
    const bytes = await readGiven(file, 'file');
    const { files } = await openFiles(options);
    const { value } = await files.put(path, bytes);
    reporter.event('file', value, `${value.path}: ${value.size} bytes`);
  },
});

export const filesRemoveCommand = defineCliCommand({
  name: 'remove',
  parent,
  summary: 'Delete a file',
  arguments: [pathArgument],
  options: ownerOptions,
  async run({ options, args: [path = ''], reporter }) {
    const { files } = await openFiles(options);
    await files.remove(path);
    reporter.event('removed', { path }, `${path} is deleted`);
  },
});
