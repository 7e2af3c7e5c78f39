import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { filenamePattern, ruled } from '../patterns.ts';
import { spelt } from '../spellings.ts';

/** Upper-case hex CRC of files is how the module prints it; records carry lower case. Reference: model 2.2. */
export const FileCrc = Type.String({
  pattern: '^[0-9a-f]{4}$',
  description: 'CRC16-CCITT of the bytes, lower-case hex',
  examples: ['42d3'],
});

/** A name, or the module's file-type byte as two hex digits. Reference: records 1.4. */
export const FileType = Type.String({
  pattern: '^([A-Z0-9_]{1,32}|[0-9A-Fa-f]{2})$',
  examples: ['MISC_FIX_LEN', 'FE'],
});

/** Name of a file in a module's flash: printable ASCII, up to 95 characters. Reference: flash 1.3. */
export const Filename = Text(95, { pattern: filenamePattern, examples: ['index.html'] });

/** Media type of a file. */
export const Mime = Type.String({
  maxLength: 127,
  pattern: '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(;[ \\x21-\\x7e]*)?$',
  examples: ['text/html'],
});

const version = (part: string) => `${part}(\\.${part}){3}`;
/** A part of the version of a file: 0 to 65535, with zeros before it or not. */
const filePart = '0{0,10}(\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';

/** A four-part version as it is asked for; the rules tell a malformed one apart, so that its error names it. */
export const VersionText = Text(80, {
  ...ruled({ pattern: `^\\s*${version('\\d{1,15}')}\\s*$` }),
  examples: ['0.0.0.1'],
});
/** The same, where the service chooses a version when it is blank. */
export const VersionOrBlank = Text(80, {
  ...ruled({ pattern: `^\\s*(${version('\\d{1,15}')})?\\s*$` }),
  examples: ['0.0.0.1'],
});
/** The version of a file, whose parts are smaller: modules store them. */
export const FileVersionText = Text(80, {
  ...ruled({ pattern: `^\\s*(${version(filePart)})?\\s*$` }),
  examples: ['0.0.0.1'],
});

/** What every stored file of a firmware or bundle shows. */
export const storedFileFields = {
  id: Id,
  filename: Type.String(),
  type: Type.String({ examples: ['MISC_FIX_LEN'] }),
  version: Type.String(),
  mime: Type.String(),
  size: Type.Integer(),
  crc: FileCrc,
  created_at: Timestamp,
};

/** What every uploaded file may say of itself. */
export const uploadFields = {
  filename: Type.Optional(Filename),
  base64: Type.Optional(
    Type.String({
      ...ruled({ pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?$' }),
      description: 'contents, standard base64; an empty file when absent',
      examples: ['aGVsbG8='],
    }),
  ),
  type: Type.Optional(FileType),
  version: Type.Optional(FileVersionText),
  mime: Type.Optional(Mime),
};

export const FlavorRecord = Type.Object({
  id: Id,
  code: Type.String(),
  title: Type.String(),
  description: Type.String(),
  sdk: Type.Boolean({ description: 'needs the SDK to make bundles' }),
});
export type FlavorRecord = Static<typeof FlavorRecord>;

export const FirmwareRecord = Type.Object({
  id: Id,
  platform_id: Id,
  flavor_id: Id,
  label: Type.String(),
  version: Type.String(),
  files: Type.Array(Type.Object(storedFileFields)),
  created_at: Timestamp,
});
export type FirmwareRecord = Static<typeof FirmwareRecord>;

export const PlatformRecord = Type.Object({
  id: Id,
  code: Type.String(),
  title: Type.String(),
  description: Type.String(),
  part_id: Nullable(Type.String()),
  manufacturer: Nullable(Type.String()),
  avatar_id: Nullable(Id),
  flavor_ids: Type.Array(Id),
  product_id: Nullable(Id),
  created_at: Timestamp,
});
export type PlatformRecord = Static<typeof PlatformRecord>;

export const PlatformDetail = Type.Object({
  ...PlatformRecord.properties,
  flavors: Type.Array(FlavorRecord),
  firmwares: Type.Array(FirmwareRecord, { description: 'newest first' }),
});
export type PlatformDetail = Static<typeof PlatformDetail>;

/** Users, and customers, to whom one platform or flavor is given, at most. Spec: API-LIMIT-catalogue-grants. */
export const catalogueGrantsLimit = 500;

/** For whom a platform or a flavor is. */
export const CatalogueAccess = Type.Object({
  restricted: Type.Boolean({ description: 'for administrators and those listed alone, otherwise for everybody' }),
  users: Type.Array(Type.Object({ user_id: Id, user: Type.String() })),
  customers: Type.Array(Type.Object({ customer_id: Id, customer: Type.String() }), { description: 'all their people' }),
});
export type CatalogueAccess = Static<typeof CatalogueAccess>;

const names = (of: string) =>
  Type.Optional(Type.Array(Text(254, { minLength: 1, description: of }), { maxItems: catalogueGrantsLimit }));
const wantedAccess = Type.Object({
  restricted: CatalogueAccess.properties.restricted,
  users: names('email address or user name'),
  customers: names('name of a customer'),
});

/** Code of a platform or flavor. Records hold it in upper case. */
const Code = (examples: string[]) => Type.String({ pattern: '^[A-Za-z0-9_.-]{1,32}$', ...spelt('code'), examples });
const shared = { tag: 'Platforms', scope: 'administer', limited: 'closed', access: 'platform.write' } as const;

/** Platforms with their flavors and firmware. Reading is for everybody; making them is for administrators. */
export const platformsContract = endpoints(shared, {
  list: {
    route: 'GET /api/platforms',
    limited: 'open',
    access: 'filtered',
    summary: 'List platforms',
    ...pageOf(PlatformRecord, sortBy(['created_at', 'code', 'title'], '-created_at'), {
      q: Type.Optional(Text(200, { description: 'part of code or title, in any letter case' })),
    }),
  },
  get: {
    route: 'GET /api/platforms/{platform_id}',
    limited: 'open',
    access: 'platform.read',
    summary: 'One platform with its flavors and firmware',
    reply: PlatformDetail,
    errors: [400, 401, 404],
  },
  create: {
    route: 'POST /api/platforms',
    audit: { what: 'platform', id: 'made' },
    summary: 'Add a platform (administrators)',
    body: Type.Object({
      code: Code(['BRT106']),
      title: Title(128),
      description: Type.Optional(Text(65_536)),
      part_id: Type.Optional(
        Nullable(Type.String({ pattern: '^[0-9A-Fa-f]{8}$', ...spelt('id'), examples: ['51554159'] })),
      ),
      manufacturer: Type.Optional(Nullable(Text(64))),
    }),
    reply: PlatformDetail,
    errors: [400, 401, 403, 409],
  },
  addFlavor: {
    route: 'POST /api/platforms/{platform_id}/flavors',
    audit: { what: 'flavor', id: 'made' },
    summary: 'Give a platform a flavor (administrators)',
    description:
      'Links the flavor of that code, or makes it. The first flavor of a platform is its base edition and brings the ' +
      'edition product that devices are activated to when they leave the factory.',
    body: Type.Object({
      code: Code(['W']),
      title: Type.Optional(Title(128)),
      description: Type.Optional(Text(65_536)),
      sdk: Type.Optional(Type.Boolean({ default: false })),
    }),
    reply: FlavorRecord,
    errors: [400, 401, 403, 404, 409],
  },
  addFirmware: {
    route: 'POST /api/platforms/{platform_id}/firmwares',
    audit: { what: 'firmware', id: 'made' },
    summary: 'Upload a firmware (administrators)',
    body: Type.Object({
      flavor_id: Id,
      label: Title(64),
      version: VersionText,
      files: Type.Array(Type.Object({ ...uploadFields, filename: Filename }), { maxItems: 64 }),
    }),
    reply: FirmwareRecord,
    errors: [400, 401, 403, 404, 409, 413],
  },
  access: {
    route: 'GET /api/platforms/{platform_id}/access',
    access: 'platform.access',
    summary: 'For whom a platform is (administrators)',
    reply: CatalogueAccess,
  },
  setAccess: {
    route: 'PUT /api/platforms/{platform_id}/access',
    scope: 'all',
    access: 'platform.access',
    audit: { what: 'platform', id: 'params.platform_id', read: 'access' },
    spec: ['API-RULE-platform-access-1', 'API-RULE-platform-access-2', 'API-LIMIT-catalogue-grants'],
    summary: 'Say for whom a platform is (administrators)',
    description:
      'Others do not see a restricted platform, and make, publish to or activate nothing on it. The lists replace ' +
      'those that are there; they count while it is restricted.',
    body: wantedAccess,
    reply: CatalogueAccess,
  },
  flavorAccess: {
    route: 'GET /api/flavors/{flavor_id}/access',
    access: 'platform.access',
    summary: 'For whom a flavor is (administrators)',
    reply: CatalogueAccess,
  },
  setFlavorAccess: {
    route: 'PUT /api/flavors/{flavor_id}/access',
    scope: 'all',
    access: 'platform.access',
    audit: { what: 'flavor', id: 'params.flavor_id', read: 'flavorAccess' },
    spec: ['API-RULE-platform-access-1'],
    summary: 'Say for whom a flavor is, on all platforms that have it (administrators)',
    body: wantedAccess,
    reply: CatalogueAccess,
  },
});
