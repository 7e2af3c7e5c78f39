import { crc16, failure, formatVersion, parseVersion, type Result, success } from '@moorage/base';
import { unzipSync, zipSync } from 'fflate';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { ListedFile } from '../module/reports.ts';

const Name = Type.String({ maxLength: 256 });

const Manifest = Type.Object({
  format: Type.Literal('moorage-rescue'),
  format_version: Type.Literal(1),
  /** RFC 3339, UTC. */
  taken_at: Type.String({ maxLength: 40 }),
  address: Name,
  transport: Type.Enum(['http', 'terminal', 'serial']),
  /** The answer of `version`. */
  version: Type.String({ maxLength: 1000 }),
  /** Pins of the board, where it tells. */
  gpio_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 99 })),
  commands: Type.Array(Type.Object({ name: Name, shortcut: Name })),
  variables: Type.Array(Type.Object({ name: Name, shortcut: Name })),
  settings: Type.Array(Type.Object({ name: Name, value: Type.String({ maxLength: 65_536 }) })),
  /** Variables that print tables, which stand in `texts/settings.txt`. */
  tables: Type.Array(Name),
  /** What the firmware prints when it refuses. */
  refusals: Type.Array(Type.Object({ code: Type.Integer({ minimum: 1, maximum: 9 }), text: Name })),
  files: Type.Array(
    Type.Object({
      name: Name,
      /** Bytes. */
      size: Type.Integer({ minimum: 0 }),
      /** Four hex digits, with the module's variant of CRC-16; absent where it tells none. */
      crc: Type.Optional(Type.String({ pattern: '^[0-9A-F]{4}$' })),
      version: Type.String({ maxLength: 32 }),
      area: Type.String({ pattern: '^[a-z]$' }),
      type: Type.Integer({ minimum: 0, maximum: 255 }),
      flags: Type.Integer({ minimum: 0, maximum: 0xffff }),
      unit: Type.Integer({ minimum: 0 }),
      /** Where the content is in the archive; absent where it could not be read. */
      path: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
  ),
  secrets: Type.Enum(['left-out', 'included']),
  /** What could not be read or was left out, and why. */
  unread: Type.Array(
    Type.Object({
      what: Name,
      why: Type.String({ maxLength: 1000 }),
      /** `failed` is what was to be read; the others are left out on purpose. */
      kind: Type.Optional(Type.Enum(['failed', 'secret', 'closed'])),
    }),
  ),
});
type Manifest = Static<typeof Manifest>;

/** The answers as they came, by the name of their file. */
const textNames = ['commands', 'variables', 'settings', 'listing'] as const;
export type Texts = Readonly<Record<(typeof textNames)[number], string>>;

/** A file of a module with its content, where that could be read. */
export interface RescuedFile extends ListedFile {
  readonly crc?: number | undefined;
  readonly content?: Uint8Array | undefined;
}

/** All that is known of a module: what a rescue archive holds. */
export interface Archive extends Omit<Manifest, 'format' | 'format_version' | 'files'> {
  readonly texts: Texts;
  readonly files: readonly RescuedFile[];
}

/** Whether an archive has all that was to be read. */
export const isWhole = ({ unread }: Pick<Archive, 'unread'>): boolean => !unread.some(({ kind }) => kind === 'failed');

/** Largest archive that is opened, unpacked, in bytes. */
export const maxUnpackedBytes = 512 * 1024 * 1024;

/** The name of a file as a path that stays in its folder on every system; `/` within it makes folders. */
const archivePath = (name: string): string =>
  `files/${name
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E')) || '%2F')
    .join('/')}`;

/** A rescue archive: a zip with `module.json`, the module's own texts, and its files. */
export function packArchive(archive: Archive): Uint8Array {
  const { texts, files, ...facts } = archive;
  const listed = files.map(({ content, crc, version, ...file }) => ({
    ...file,
    version: formatVersion(version),
    ...(crc !== undefined && { crc: crc.toString(16).toUpperCase().padStart(4, '0') }),
    ...(content && { path: archivePath(file.name) }),
  }));
  const manifest: Manifest = { format: 'moorage-rescue', format_version: 1, ...facts, files: listed };
  const entries: Record<string, Uint8Array> = { 'module.json': Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) };
  for (const name of textNames) entries[`texts/${name}.txt`] = Buffer.from(`${texts[name]}\n`);
  for (const { name, content } of files) if (content) entries[archivePath(name)] = content;
  return zipSync(entries, { mtime: new Date(facts.taken_at) });
}

/** Opens an archive. The error is one sentence; a file with other bytes than its CRC says is an error, too. */
export function unpackArchive(bytes: Uint8Array): Result<Archive, string> {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, {
      filter: ({ originalSize }) => {
        total += originalSize;
        if (total > maxUnpackedBytes) throw new Error(`it has over ${maxUnpackedBytes} bytes`);
        return true;
      },
    });
  } catch (error) {
    return failure(`It is no whole zip archive: ${(error as Error).message}`);
  }
  const manifest = readManifest(entries['module.json']);
  if (!manifest.ok) return manifest;
  const { format: _, format_version: __, files: listed, ...facts } = manifest.value;
  const files: RescuedFile[] = [];
  for (const { path, crc: crcText, version: versionText, ...file } of listed) {
    const content = path === undefined ? undefined : entries[path];
    const crc = crcText === undefined ? undefined : Number.parseInt(crcText, 16);
    const version = parseVersion(versionText);
    if (!version.ok) return failure(`The version of "${file.name}" is "${versionText}"`);
    if (path !== undefined && (!content || !isContent(content, file.size, crc)))
      return failure(`The archive is damaged: "${file.name}" is not as it was`);
    files.push({ ...file, version: version.value, crc, content });
  }
  const text = (name: string): string =>
    Buffer.from(entries[`texts/${name}.txt`] ?? [])
      .toString()
      .replace(/\n$/, '');
  const texts = Object.fromEntries(textNames.map((name) => [name, text(name)])) as Texts;
  return success({ ...facts, texts, files });
}

/** The bytes are those that the module has told a CRC of; some firmware counts with the usual variant. */
const isContent = (content: Uint8Array, size: number, crc: number | undefined): boolean =>
  content.length === size &&
  (crc === undefined || crc16(content) === crc || crc16(content, undefined, 'ccitt-false') === crc);

function readManifest(bytes: Uint8Array | undefined): Result<Manifest, string> {
  if (!bytes) return failure('It has no module.json');
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (Value.Check(Manifest, value)) return success(value);
    const [first] = Value.Errors(Manifest, value);
    return failure(`Its module.json is not of format 1: ${first?.instancePath ?? ''} ${first?.message ?? ''}`);
  } catch {
    return failure('Its module.json is not JSON');
  }
}
