import { createHash } from 'node:crypto';
import { formatVersion, type Store } from '@moorage/base';
import { type Archive, isSecretName, isUsers, personalityOf, unpackArchive } from '@moorage/gateway';
import { hasIdentity, type Module, saveIdentity } from '@moorage/module';
import { defaultModel, type Model } from '@moorage/module/model/model';
import { type Personality, strictPersonality } from '@moorage/module/personality/personality';
import { UserError } from '../command-line/define.ts';
import { readGiven } from '../files/given-file.ts';

/** What a twin is made of. */
export interface Twin {
  readonly archive: Archive;
  /** Keys of a personality file. */
  readonly personality: Readonly<Record<string, unknown>>;
  readonly model: Model;
}

/** Unit of flash, in bytes. */
const unitBytes = 4096;

/** Largest area of a model, in bytes. */
const maxAreaBytes = 134_217_728;

/** Reads a rescue archive. */
export async function readTwin(path: string): Promise<Twin> {
  const archive = unpackArchive(await readGiven(path, 'archive'));
  if (!archive.ok) throw new UserError(`The archive "${path}" is wrong: ${archive.error}`);
  return { archive: archive.value, ...twinOf(archive.value) };
}

/** Board and firmware that an archive shows. */
export const twinOf = (archive: Archive): Pick<Twin, 'personality' | 'model'> => ({
  personality: personalityOf(archive),
  model: modelOf(archive),
});

function modelOf({ files, gpio_count: gpioCount = defaultModel.gpioCount, settings }: Archive): Model {
  const uuid = settings.find(({ name }) => name === 'system.uuid')?.value ?? '';
  const below = (pin: number): boolean => pin < gpioCount;
  const held = files.filter(({ area }) => area === 'i' || area === 'e' || area === 'b');
  const areaBytes = (area: 'i' | 'e' | 'b'): number => {
    const ends = held
      .filter((file) => file.area === area)
      .map(({ unit, size }) => unit * unitBytes + Math.max(1, size));
    const needed = Math.ceil(Math.max(0, ...ends) / unitBytes) * unitBytes;
    return Math.min(maxAreaBytes, Math.max(defaultModel.flash.areaBytes[area], needed));
  };
  return {
    ...defaultModel,
    name: 'twin',
    ...(/^[0-9A-F]{40}$/.test(uuid) && { partId: uuid.slice(0, 8).toLowerCase() }),
    gpioCount,
    adc: { ...defaultModel.adc, pins: defaultModel.adc.pins.filter(below) },
    dac: { ...defaultModel.dac, pins: defaultModel.dac.pins.filter(below) },
    pwm: { pins: defaultModel.pwm.pins.filter(below) },
    flash: {
      areaBytes: { i: areaBytes('i'), e: areaBytes('e'), b: areaBytes('b') },
      maxFilesPerArea: Math.max(defaultModel.flash.maxFilesPerArea, held.length),
    },
    files: held.map(({ name, area, type, flags, unit, version, size, content }) => ({
      name,
      area: area as 'i' | 'e' | 'b',
      type,
      flags,
      unit,
      version: formatVersion(version),
      // What could not be read has its size.
      content: Buffer.from(content ?? new Uint8Array(size)).toString('base64'),
    })),
  };
}

/** A MAC address as modules of other generations may write it, too. */
const macForm = /^(?:[0-9A-F]{2}[:-]?){5}[0-9A-F]{2}$/i;

/**
 * Gives a store that has none the identity of the original; false when it is a module's already. Where the original does not tell its
 * uuid, the twin has one that its address makes.
 */
export async function takeIdentity(store: Store, { settings }: Archive): Promise<boolean> {
  if (await hasIdentity(store)) return false;
  const found = (wanted: string, form: RegExp): string =>
    [
      ...settings.filter(({ name }) => name === wanted),
      ...settings.filter(({ name }) => name.endsWith(wanted.slice(-3))),
    ]
      .map(({ value }) => value)
      .find((value) => form.test(value)) ?? '';
  const mac = found('wlan.mac', macForm).replaceAll(/[:-]/g, '').toUpperCase().match(/../g)?.join(':') ?? '';
  const own = createHash('sha256').update(mac).digest('hex').slice(0, 32);
  const uuid = found('system.uuid', /^[0-9A-F]{40}$/i) || `${defaultModel.partId}${own}`;
  await saveIdentity(store, { mac, uuid: uuid.toUpperCase() });
  return true;
}

/** Gives a module that has not booted yet the saved variables of the original. Returns the names that it does not take. */
export async function takeSettings(module: Module, { settings, secrets }: Archive): Promise<readonly string[]> {
  let refused: string[] = [];
  // Setting one variable may set others: the second time all are as they were.
  for (let pass = 0; pass < 2; pass++) {
    refused = [];
    for (const { name, value } of settings) {
      const [variable = '', index] = name.split(' ');
      const row = module.variables.lookup(variable);
      if (row?.access === 'get' || !isUsers(variable)) continue;
      if (secrets === 'left-out' && value === '' && isSecretName(variable)) continue;
      const call = [variable, ...(index === undefined ? [] : [index])];
      const now = module.variables.query(call);
      if (now.ok && now.value.kind === 'value' && now.value.text === value) continue;
      // A table without rows, which has nothing to be set.
      if (now.ok && now.value.kind === 'lines' && value === '') continue;
      if (!module.variables.assign([...call, value]).ok) refused.push(name);
    }
  }
  await module.variables.save();
  return refused;
}

/** The original may be one without guesses: then so is its twin. */
export function asStrict({ variables }: Archive, personality: Personality): Personality {
  const strict = strictPersonality(personality);
  const offered = new Set(strict.offered.variables.map((variable) => strict.offered.nameOf(variable)));
  return variables.length > 0 && variables.every(({ name }) => offered.has(name)) ? strict : personality;
}
