import Type, { type Static } from 'typebox';

/** A file that a board leaves the factory with, as a model file describes it. */
export const FactoryFile = Type.Object(
  {
    name: Type.String({ pattern: '^[\x20-\x7e]{1,95}$' }),
    area: Type.Enum(['i', 'e', 'b']),
    /** 0 to 255. */
    type: Type.Integer({ minimum: 0, maximum: 255 }),
    flags: Type.Integer({ minimum: 0, maximum: 0xffff }),
    version: Type.String({ maxLength: 20 }),
    /** First 4 KiB unit in its area; the next free one without it. */
    unit: Type.Optional(Type.Integer({ minimum: 0, maximum: 32_767 })),
    /** The content as base64. */
    content: Type.String({ maxLength: 1_500_000 }),
  },
  { additionalProperties: false },
);

const text = (...rows: readonly string[]): string => Buffer.from(`${rows.join('\r\n')}\r\n`).toString('base64');

/** Programs are played by this process; their files say so. */
const program = (what: string): string => text(`Stand-in for the ${what} of a virtual module.`);

/**
 * What a module leaves the factory with: small stand-ins under the real names, types and flags.
 * Spec: MOD-FILE-types, MOD-FILE-flag-bits. Reference: flash 3.2.
 */
export const defaultFactoryFiles: Static<typeof FactoryFile>[] = [
  {
    name: 'main_app.exe',
    area: 'i',
    type: 0x81,
    flags: 0x1b,
    version: '2.2.0.12',
    content: program('main application'),
  },
  {
    name: 'upgrade_app.exe',
    area: 'i',
    type: 0x00,
    flags: 0x1b,
    version: '2.2.0.12',
    content: program('recovery application'),
  },
  { name: 'wifi_fw.bin', area: 'e', type: 0x01, flags: 0x09, version: '5.0.0.0', content: program('radio firmware') },
  {
    name: 'command_help.csv',
    area: 'e',
    type: 0xfb,
    flags: 0x01,
    version: '2.2.0.12',
    content: text('command,help'),
  },
  {
    name: 'default_setup.script',
    area: 'e',
    type: 0xfd,
    flags: 0x01,
    version: '2.2.0.12',
    content: text('version'),
  },
];
