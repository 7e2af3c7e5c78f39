import { failure, type Result, success } from '@moorage/base';
import {
  type AdcScale,
  lookUp,
  maxGain,
  maxTableBytes,
  parseLookUpTable,
  rawSample,
  sampleMillivolts,
  sampleText,
} from '../device/adc.ts';
import { supplyVolts } from '../device/pin-table.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Response } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { refuseFile } from './file-reasons.ts';
import { refuseTaken } from './gpio.ts';

/** How a sample is shown: as it is, in mV, or through the table in a file. */
type SampleForm = { readonly gain: number; readonly millivolts: boolean; readonly table: string | undefined };

/** Reads `[<gain>] [-v]/[<file>]`; `undefined` when they do not go together. A word of digits is a gain. */
function readForm(words: readonly string[], millivolts: boolean): SampleForm | undefined {
  const gainFirst = /^\d+$/.test(words[0] ?? '');
  const gain = gainFirst ? Number(words[0]) : 1;
  const rest = gainFirst ? words.slice(1) : words;
  if (gain < 1 || gain > maxGain || rest.length > (millivolts ? 0 : 1)) return undefined;
  return { gain, millivolts, table: rest[0] };
}

/** What a table in flash makes of samples. */
async function readTable(board: Board, name: string): Promise<Result<(sample: number) => string, Response>> {
  const content = await board.flash.readAll(name, maxTableBytes);
  if (!content.ok) return failure(refuseFile(board, content.error));
  const table = parseLookUpTable(Buffer.from(content.value).toString('latin1'));
  if (!table.ok) {
    board.log.say('tableMalformed');
    return failure(fail(codes.FAILED));
  }
  return success((sample) => lookUp(table.value, sample));
}

function takeSample(board: Board, pin: number, scale: AdcScale, show: (sample: number) => string): Response {
  const volts = board.pins.sample(pin);
  return volts.ok ? ok(show(rawSample(volts.value, scale))) : refuseTaken(board, pin, volts.error.owner);
}

const adcTakeSample = defineCommand({
  name: 'adc_take_sample',
  shortcut: 'adc',
  group: 'analog',
  spec: 'MOD-CMD-adc_take_sample',
  evidence: 'spec',
  summary: 'Take an analog sample of a pin',
  example: 'adc_take_sample 7 -v',
  syntax: 'adc_take_sample <gpio#> [<gain>] [-v]/[<LUT Filename.csv>]',
  options: { millivolts: { kind: 'switch', flag: '-v', help: 'show the voltage at the pin, in mV' } },
  args: {
    pin: { kind: 'gpio', help: 'number of the pin' },
    first: { kind: 'file', optional: true, help: 'gain from 1 to 64, or the file' },
    second: { kind: 'file', optional: true, help: 'file with lines of sample,value' },
  },
  run: (board, { pin, first, second, millivolts }) => {
    const { adc } = board.model;
    const form = readForm(
      [first, second].filter((word) => word !== undefined),
      millivolts,
    );
    // Spec: MOD-OPT-adc_take_sample-gpio, MOD-OPT-adc_take_sample-gain.
    if (!adc.pins.includes(pin) || !form) return fail(codes.INVALID);
    const scale = { vrefMv: board.variables.get('system.adc.vref'), gain: form.gain, bits: adc.bits };
    // Spec: MOD-OPT-adc_take_sample-v.
    if (millivolts) return takeSample(board, pin, scale, (sample) => String(sampleMillivolts(sample, scale)));
    if (form.table === undefined) return takeSample(board, pin, scale, sampleText);
    // Spec: MOD-OPT-adc_take_sample-lut.
    return readTable(board, form.table).then((table) =>
      table.ok ? takeSample(board, pin, scale, table.value) : table.error,
    );
  },
});

const dacSetLevel = defineCommand({
  name: 'dac_set_level',
  shortcut: 'dac',
  group: 'analog',
  spec: 'MOD-CMD-dac_set_level',
  evidence: 'spec',
  summary: 'Set the level of the analog output',
  example: 'dac_set_level 2048',
  args: { level: { kind: 'int', min: 0, max: 65_535, help: '0 to 4095: 3.3 V times level / 4096' } },
  run: (board, { level }) => {
    const { pins, bits } = board.model.dac;
    // Spec: MOD-OPT-dac_set_level-level.
    if (level >= 2 ** bits) return fail(codes.INVALID);
    const [pin] = pins;
    if (pin === undefined) {
      board.log.say('noDac');
      return fail(codes.FAILED);
    }
    const set = board.pins.convert(pin, (supplyVolts * level) / 2 ** bits);
    return set.ok ? ok(board.personality.text('success')) : refuseTaken(board, pin, set.error.owner);
  },
});

/** Pulse trains that a pin can put out; the range is our choice. Reference: commands 2.2. */
const pwmLimits = { minHz: 1, maxHz: 1_000_000, maxDutyPercent: 100 } as const;

/** Whether a pulse train is in range. Whole numbers only. */
const isPwm = (hz: number, dutyPercent: number): boolean =>
  Number.isInteger(hz) &&
  hz >= pwmLimits.minHz &&
  hz <= pwmLimits.maxHz &&
  Number.isInteger(dutyPercent) &&
  dutyPercent >= 0 &&
  dutyPercent <= pwmLimits.maxDutyPercent;

/** Hosts write the word before or after the pin; without a pin all pulses end. */
function stopPulses(board: Board, words: readonly string[]): Response {
  const [text] = words.filter((word) => word !== 'stop');
  const running = Array.from(board.pins.uses.keys()).filter((pin) => board.pins.stateOf(pin) === 'pwm');
  const named = text === undefined ? running : readPins(board, text);
  if (!named) return fail(codes.INVALID);
  for (const pin of named) {
    const stopped = board.pins.stopModulation(pin);
    if (!stopped.ok) return refuseTaken(board, pin, stopped.error.owner);
  }
  return ok(board.personality.text('setOk'));
}

const readPins = (board: Board, text: string): readonly number[] | undefined =>
  /^\d{1,3}$/.test(text) && board.model.pwm.pins.includes(Number(text)) ? [Number(text)] : undefined;

const pwmUpdate = defineCommand({
  name: 'pwm_update',
  shortcut: 'pwm',
  group: 'analog',
  spec: 'MOD-CMD-pwm_update',
  evidence: 'inferred',
  summary: 'Put out pulses on a pin, or end them',
  example: 'pwm_update 12 1000 50',
  syntax: 'pwm_update <gpio#> <frequency> <duty>; pwm_update <gpio#> stop; pwm_update stop [<gpio#>]',
  args: {
    pin: { kind: 'word', offers: ['stop'], help: 'number of the pin, or stop' },
    frequency: { kind: 'word', offers: ['stop'], optional: true, help: 'pulses per second, 1 to 1000000; or stop' },
    duty: { kind: 'word', optional: true, help: 'percent of the time that the pin is high, 0 to 100' },
  },
  run: (board, { pin: first, frequency, duty }) => {
    const words = [first, frequency, duty].filter((word) => word !== undefined);
    if (words.slice(0, 2).includes('stop')) return words.length > 2 ? fail(codes.TOO_MANY) : stopPulses(board, words);
    if (words.length < 3) return fail(codes.TOO_FEW);
    const [pin] = readPins(board, first) ?? [];
    const [hz = Number.NaN, percent = Number.NaN] = words
      .slice(1)
      .map((word) => (/^\d{1,7}$/.test(word) ? Number(word) : Number.NaN));
    if (pin === undefined || !isPwm(hz, percent)) return fail(codes.INVALID);
    const set = board.pins.modulate(pin, hz, percent);
    return set.ok ? ok(board.personality.text('setOk')) : refuseTaken(board, pin, set.error.owner);
  },
});

export const analogCommands: readonly Command<Board>[] = [adcTakeSample, dacSetLevel, pwmUpdate];
