import Type, { type Static, type TProperties } from 'typebox';
import {
  type Access,
  type Audit,
  binary,
  deviceListenerTag,
  deviceRouteErrors,
  endpoints,
  type Limited,
  type TokenScope,
} from '../endpoint.ts';
import { Id, Identifier, Nullable, pageQuery, ResultOk, sortBy, Text, Timestamp } from '../fields.ts';
import { ruled } from '../patterns.ts';
import { FileCrc, FileVersionText } from './platforms.ts';

/** Largest file, in bytes. Spec: API-LIMIT-file. */
export const fileLimitBytes = 10 * 1024 * 1024;
/** What one store holds at most. */
export const storeLimits = { files: 1000, bytes: 100 * 1024 * 1024 } as const;
/** Longest path, in bytes of UTF-8. */
export const pathLimitBytes = 255;

/** Entry of an index. Reference: records 1.10. */
export const FileRecord = Type.Object({
  path: Type.String(),
  name: Type.String({ description: 'last segment of the path' }),
  size: Type.Integer({ description: 'bytes' }),
  crc: FileCrc,
  mime: Type.String(),
  version: Nullable(Type.String({ description: 'as given when it was uploaded' })),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type FileRecord = Static<typeof FileRecord>;

export const WrittenFile = Type.Object({ result: Type.Literal('ok'), ...FileRecord.properties });

const listQuery = Type.Object({
  ...pageQuery,
  sort: sortBy(['path', 'size', 'created_at', 'updated_at'], 'path'),
  prefix: Type.Optional(Text(pathLimitBytes, { description: 'only paths that begin so' })),
  filter: Type.Optional(
    Text(pathLimitBytes, { description: 'only paths that fit; * stands for any characters, slashes too' }),
  ),
});
export type FileListQuery = Static<typeof listQuery>;

const uploadQuery = Type.Object({ version: Type.Optional(FileVersionText) });

/** A segment of a path: no control character, slash or backslash, and neither empty nor "." nor "..". */
const segment = '(\\.*[^./\\\\\\u0000-\\u001f\\u007f-\\u009f][^/\\\\\\u0000-\\u001f\\u007f-\\u009f]*|\\.{3,})';
const pathPattern = `^${segment}(/${segment})*$`;

// What else a path must be is the rules' to say, so that the refusal tells what is wrong with it.
const FilePath = Text(1024, {
  minLength: 1,
  ...ruled({ maxLength: pathLimitBytes, 'x-max-bytes': pathLimitBytes, pattern: pathPattern }),
  description: `segments with slashes between them, none of them empty, "." or ".."; up to ${pathLimitBytes} bytes`,
  examples: ['images/kitchen/plan.png'],
});

const rules = 'Uploads are the raw bytes, their Content-Type kept, or a form with one part named "file".';

/** The four calls of a store of files by path. */
function fileEndpoints<const P extends TProperties, const Read extends Access, const Change extends Access>(store: {
  readonly base: string;
  readonly params: P;
  readonly spec: Readonly<Record<'list' | 'get' | 'upload' | 'remove', readonly string[]>>;
  readonly tag: string;
  /** Scope of what changes a file. */
  readonly scope: TokenScope;
  readonly limited: Limited;
  readonly access: Read;
  readonly mayChange: Change;
  readonly audit: Audit;
  readonly what: string;
}) {
  const { base, what, scope, tag, limited, access, audit } = store;
  const shared = { tag, auth: 'bearer', limited, access, audit, errors: [400, 401, 403, 404] } as const;
  const owner = Type.Object(store.params);
  const file = Type.Object({ ...store.params, path: FilePath });
  const path = `${base}/{path*}`;
  return endpoints(shared, {
    list: {
      method: 'GET',
      path: base,
      spec: [...store.spec.list, 'API-RULE-files-7'],
      summary: `List the ${what}`,
      params: owner,
      query: listQuery,
      reply: Type.Array(FileRecord),
      paged: true,
    },
    get: {
      method: 'GET',
      path,
      spec: [...store.spec.get, 'API-RULE-files-4'],
      summary: `Get one of the ${what}; Range and conditions are honoured`,
      params: file,
      reply: binary(),
      errors: [400, 401, 403, 404, 416],
    },
    upload: {
      method: 'POST',
      path,
      scope,
      access: store.mayChange,
      spec: [...store.spec.upload, 'API-RULE-files-3', 'API-RULE-files-6', 'API-LIMIT-file'],
      summary: `Write one of the ${what}, in place of the one that has the path`,
      description: `${rules} A file has up to 10 MiB (413); a store 1,000 files and 100 MiB (409). With If-Match only what the client has seen is replaced, with If-None-Match: * nothing (412).`,
      params: file,
      query: uploadQuery,
      body: binary(),
      reply: WrittenFile,
      errors: [400, 401, 403, 404, 409, 412, 413, 415],
    },
    remove: {
      method: 'DELETE',
      path,
      scope,
      access: store.mayChange,
      spec: store.spec.remove,
      summary: `Delete one of the ${what}`,
      params: file,
      reply: ResultOk,
      errors: [400, 401, 403, 404, 412],
    },
  });
}

/** Cloud files of a device. */
export const deviceFilesContract = fileEndpoints({
  base: '/api/devices/{device_id}/files',
  params: { device_id: Identifier },
  spec: {
    list: ['API-EP-GET-devices-device_id-files', 'API-RULE-files-1'],
    get: ['API-EP-GET-devices-device_id-files-path'],
    upload: ['API-EP-POST-devices-device_id-files-path'],
    remove: ['API-EP-DELETE-devices-device_id-files-path'],
  },
  tag: 'Devices',
  scope: 'operate',
  limited: ['device_id'],
  access: 'device.files',
  mayChange: 'device.files',
  audit: { what: 'device', id: 'params.device_id' },
  what: 'files of a device',
});

/** Cloud assets of a product. */
export const assetsContract = fileEndpoints({
  base: '/api/products/{product_id}/assets',
  params: { product_id: Id },
  spec: {
    list: ['API-EP-GET-products-product_id-assets', 'API-RULE-files-2'],
    get: ['API-EP-GET-products-product_id-assets-path'],
    upload: ['API-EP-POST-products-product_id-assets-path'],
    remove: ['API-EP-DELETE-products-product_id-assets-path'],
  },
  tag: 'Products',
  scope: 'publish',
  limited: ['product_id'],
  access: 'asset.read',
  mayChange: 'product.change',
  audit: { what: 'product', id: 'params.product_id' },
  what: 'assets of a product',
});

/** What a device may name: its own files, or the assets of the product it is activated to. */
export const fileTargets = ['device', 'product'] as const;
export type FileTarget = (typeof fileTargets)[number];

const target = { target: Type.Enum([...fileTargets]) };
const linkFile = Type.Object({ ...target, path: FilePath });

const onDevices = { tag: deviceListenerTag, auth: 'device', errors: deviceRouteErrors } as const;

/** The same stores on the device listener: everything in its own, list and read in that of its product. Reference: rules 5.3. */
export const filesRoutesContract = endpoints(onDevices, {
  list: {
    method: 'GET',
    path: '/files/{target}',
    spec: ['API-DEV-GET-files-target'],
    summary: 'List the files of the device, or the assets of its product',
    params: Type.Object(target),
    query: listQuery,
    reply: Type.Array(FileRecord),
    paged: true,
  },
  get: {
    method: 'GET',
    path: '/files/{target}/{path*}',
    spec: ['API-DEV-GET-files-target-path'],
    summary: 'Get a file of the device, or an asset of its product',
    params: linkFile,
    reply: binary(),
  },
  upload: {
    method: 'POST',
    path: '/files/{target}/{path*}',
    spec: ['API-DEV-POST-files-target-path'],
    summary: 'Write a file of the device',
    description: rules,
    params: linkFile,
    query: uploadQuery,
    body: binary(),
    reply: WrittenFile,
  },
  remove: {
    method: 'DELETE',
    path: '/files/{target}/{path*}',
    spec: ['API-DEV-DELETE-files-target-path'],
    summary: 'Delete a file of the device',
    params: linkFile,
    reply: ResultOk,
  },
});
