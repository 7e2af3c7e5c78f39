import Type, { type Static } from 'typebox';
import {
  type Access,
  binary,
  deviceListenerTag,
  deviceRouteErrors,
  type EndpointShape,
  endpoints,
} from '../endpoint.ts';
import { Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';
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

const list = pageOf(FileRecord, sortBy(['path', 'size', 'created_at', 'updated_at'], 'path'), {
  prefix: Type.Optional(Text(pathLimitBytes, { description: 'only paths that begin so' })),
  filter: Type.Optional(
    Text(pathLimitBytes, { description: 'only paths that fit; * stands for any characters, slashes too' }),
  ),
});
export type FileListQuery = Static<typeof list.query>;

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
const fileEndpoints = <
  const Base extends `/${string}`,
  const S extends Pick<EndpointShape, 'tag' | 'scope' | 'limited' | 'access' | 'audit'>,
  const Change extends Access,
>(
  base: Base,
  what: string,
  rule: string,
  shared: S,
  mayChange: Change,
) =>
  endpoints(
    { ...shared, params: { path: FilePath } },
    {
      list: { route: `GET ${base}`, spec: [rule, 'API-RULE-files-7'], summary: `List the ${what}`, ...list },
      get: {
        route: `GET ${base}/{path*}`,
        spec: ['API-RULE-files-4'],
        summary: `Get one of the ${what}; Range and conditions are honoured`,
        reply: binary(),
        errors: [400, 401, 403, 404, 416],
      },
      upload: {
        route: `POST ${base}/{path*}`,
        access: mayChange,
        spec: ['API-RULE-files-3', 'API-RULE-files-6', 'API-LIMIT-file'],
        summary: `Write one of the ${what}, in place of the one that has the path`,
        description: `${rules} A file has up to 10 MiB (413); a store 1,000 files and 100 MiB (409). With If-Match only what the client has seen is replaced, with If-None-Match: * nothing (412).`,
        query: uploadQuery,
        body: binary(),
        reply: WrittenFile,
        errors: [400, 401, 403, 404, 409, 412, 413, 415],
      },
      remove: {
        route: `DELETE ${base}/{path*}`,
        access: mayChange,
        summary: `Delete one of the ${what}`,
        errors: [400, 401, 403, 404, 412],
      },
    },
  );

/** Cloud files of a device. */
export const deviceFilesContract = fileEndpoints(
  '/api/devices/{device_id}/files',
  'files of a device',
  'API-RULE-files-1',
  {
    tag: 'Devices',
    scope: 'operate',
    limited: ['device_id'],
    access: 'device.files',
    audit: { what: 'device', id: 'params.device_id' },
  },
  'device.files',
);

/** Cloud assets of a product. */
export const assetsContract = fileEndpoints(
  '/api/products/{product_id}/assets',
  'assets of a product',
  'API-RULE-files-2',
  {
    tag: 'Products',
    scope: 'publish',
    limited: ['product_id'],
    access: 'asset.read',
    audit: { what: 'product', id: 'params.product_id' },
  },
  'product.change',
);

/** What a device may name: its own files, or the assets of the product it is activated to. */
export const fileTargets = ['device', 'product'] as const;
export type FileTarget = (typeof fileTargets)[number];

const onDevices = {
  tag: deviceListenerTag,
  auth: 'device',
  writes: 'files',
  errors: deviceRouteErrors,
  params: { target: Type.Enum([...fileTargets]), path: FilePath },
} as const;

/** The same stores on the device listener: everything in its own, list and read in that of its product. Reference: rules 5.3. */
export const filesRoutesContract = endpoints(onDevices, {
  list: {
    route: 'GET /files/{target}',
    summary: 'List the files of the device, or the assets of its product',
    ...list,
  },
  get: {
    route: 'GET /files/{target}/{path*}',
    summary: 'Get a file of the device, or an asset of its product',
    reply: binary(),
  },
  upload: {
    route: 'POST /files/{target}/{path*}',
    summary: 'Write a file of the device',
    description: rules,
    query: uploadQuery,
    body: binary(),
    reply: WrittenFile,
  },
  remove: {
    route: 'DELETE /files/{target}/{path*}',
    summary: 'Delete a file of the device',
  },
});
