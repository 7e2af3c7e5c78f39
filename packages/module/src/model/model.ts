import { decodeBase64, failure, parseVersion, type Result, success, unwrap } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { type FactoryFile as FlashFile, unitBytes } from '../device/flash.ts';
import { unitsFor } from '../device/flash-units.ts';
import { maxFileVersion } from '../interpreter/arguments.ts';
import { defaultFactoryFiles, FactoryFile } from './factory-files.ts';
import { schemaMistake } from './schema-mistake.ts';

const Pin = Type.Integer({ minimum: 0, maximum: 98 });

const Model = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    /** First 8 digits of every hardware uuid of this board. */
    partId: Type.String({ pattern: '^[0-9a-f]{8}$' }),
    gpioCount: Type.Integer({ minimum: 0, maximum: 99 }),
    /** Pins that the board uses itself: number to description, as `gpio.usage` shows it. */
    boardPins: Type.Record(
      Type.String({ pattern: '^(0|[1-9]\\d?)$' }),
      Type.String({ pattern: '^[\\x20-\\x7e]{1,32}$' }),
      { additionalProperties: false },
    ),
    /** Memory of the board, in bytes, of which `system.memory.usage` is a percentage. */
    ramBytes: Type.Integer({ minimum: 1024, maximum: 1_073_741_824 }),
    adc: Type.Object(
      { pins: Type.Array(Pin), bits: Type.Integer({ minimum: 8, maximum: 16 }) },
      { additionalProperties: false },
    ),
    dac: Type.Object(
      { pins: Type.Array(Pin), bits: Type.Integer({ minimum: 8, maximum: 16 }) },
      { additionalProperties: false },
    ),
    pwm: Type.Object({ pins: Type.Array(Pin) }, { additionalProperties: false }),
    flash: Type.Object(
      {
        /** Size of each area in bytes; 0 when the board has none. Spec: MOD-FILE-areas. */
        areaBytes: Type.Object(
          {
            i: Type.Integer({ minimum: 0, maximum: 134_217_728 }),
            e: Type.Integer({ minimum: 0, maximum: 134_217_728 }),
            b: Type.Integer({ minimum: 0, maximum: 134_217_728 }),
          },
          { additionalProperties: false },
        ),
        maxFilesPerArea: Type.Integer({ minimum: 1, maximum: 10_000 }),
      },
      { additionalProperties: false },
    ),
    limits: Type.Object(
      {
        /** Open streams. Spec: MOD-LIMIT-streams. */
        streams: Type.Integer({ minimum: 1, maximum: 64 }),
        /** Lines of command history. */
        history: Type.Integer({ minimum: 0, maximum: 100 }),
        /** Faults before safe mode. */
        faults: Type.Integer({ minimum: 1, maximum: 100 }),
      },
      { additionalProperties: false },
    ),
    /** Files that the board leaves the factory with. */
    files: Type.Array(FactoryFile, { maxItems: 100 }),
  },
  { additionalProperties: false },
);

/** A board as data: pins, converters, flash and limits. */
export type Model = Static<typeof Model>;

/** The board of the published examples. Reference: flash 1.1. */
export const defaultModel: Model = {
  name: 'default',
  partId: '4d4f4f52',
  gpioCount: 29,
  boardPins: {},
  ramBytes: 128 * 1024,
  adc: { pins: [7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 20, 21, 22, 23], bits: 12 },
  dac: { pins: [0], bits: 12 },
  pwm: { pins: [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 17, 18, 19, 20, 21, 22] },
  flash: { areaBytes: { i: 768 * 1024, e: 1024 * 1024, b: 0 }, maxFilesPerArea: 100 },
  limits: { streams: 8, history: 5, faults: 8 },
  files: defaultFactoryFiles,
};

/**
 * Reads a model file: a JSON object with any of the model's keys; what it leaves out is as in the default model.
 * The refusal is one sentence that names the first wrong key and its value.
 */
export function parseModel(json: string): Result<Model, string> {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (cause) {
    return failure(`It is not JSON: ${(cause as Error).message}`);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return failure('It must hold a JSON object');
  }
  const model: unknown = { ...defaultModel, ...given };
  if (!Value.Check(Model, model)) {
    return failure(schemaMistake(Value.Errors(Model, model), model));
  }
  const wrong = strayPin(model) ?? wrongFile(model.files) ?? overflow(model);
  return wrong === undefined ? success(model) : failure(wrong);
}

function strayPin({ adc, boardPins, dac, gpioCount, pwm }: Model): string | undefined {
  const named = { 'adc.pins': adc.pins, 'dac.pins': dac.pins, 'pwm.pins': pwm.pins, boardPins: Object.keys(boardPins) };
  for (const [key, pins] of Object.entries(named)) {
    const beyond = pins.find((pin) => Number(pin) >= gpioCount);
    if (beyond !== undefined) return `Key "${key}" names pin ${beyond}, and the board has ${gpioCount} pins`;
  }
  return undefined;
}

function wrongFile(files: Model['files']): string | undefined {
  const names = new Set<string>();
  for (const [index, { name, version, content }] of files.entries()) {
    if (names.has(name)) return `Key "files.${index}.name" is "${name}" once more`;
    names.add(name);
    if (!parseVersion(version, maxFileVersion).ok)
      return `Key "files.${index}.version" is "${version}", not a version up to ${maxFileVersion.join('.')}`;
    if (!decodeBase64(content).ok) return `Key "files.${index}.content" is not base64`;
  }
  return undefined;
}

/** The files that a board leaves the factory with have to fit into it. */
function overflow({ files, flash }: Model): string | undefined {
  for (const area of ['i', 'e', 'b'] as const) {
    const held = files.filter((file) => file.area === area);
    const units = held.reduce((sum, file) => sum + unitsFor(Buffer.byteLength(file.content, 'base64')), 0);
    if (units * unitBytes > flash.areaBytes[area])
      return `Key "files" has ${units * unitBytes} bytes in area "${area}", which has ${flash.areaBytes[area]}`;
    if (held.length > flash.maxFilesPerArea)
      return `Key "files" has ${held.length} files in area "${area}", which has room for ${flash.maxFilesPerArea}`;
  }
  return undefined;
}

const filesOfModels = new WeakMap<Model, readonly FlashFile[]>();

/** The files of a board, decoded once for all its modules, which share the bytes. */
export function factoryFiles(model: Model): readonly FlashFile[] {
  const known = filesOfModels.get(model);
  if (known) return known;
  const files = model.files.map((file) => ({
    ...file,
    version: unwrap(parseVersion(file.version)),
    content: unwrap(decodeBase64(file.content)),
  }));
  filesOfModels.set(model, files);
  return files;
}
