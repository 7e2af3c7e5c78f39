import {
  Capabilities,
  callUrl,
  capabilitiesLimitBytes,
  capabilitiesProblem,
  type DataValue,
  dataValueLimit,
  gatewayStreamsPath,
  otaResults,
  type StreamCapability,
  valueProblem,
} from '@moorage/api';
import { failure, type Result, schemaDemand, success } from '@moorage/base';
import { type DataRefusal, type Datum, type Device, fileEndpoints } from '@moorage/device';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { answerText, type Driver, type DriverFailure } from '../driver/driver.ts';

/** Commands that only read: a variable, a pin, all pins, a voltage, the signal. */
const readingCommand = String.raw`^(get( [a-z0-9_.]+)+|gpio_get \d{1,2}|gpios_get|adc(_take_sample)?( -?[a-zA-Z0-9_.]+)+|wlan_get_rssi)$`;

const Command = Type.Object({ command: Type.String({ maxLength: 100, pattern: readingCommand }) });
const MeasuredStreams = Type.Object({ streams: Type.Record(Type.String(), Command, { minProperties: 1 }) });

/** What an adopted module measures: a capabilities file in which each stream has the command that reads it. */
export interface Measured extends Omit<Capabilities, 'streams'> {
  readonly streams: Readonly<Record<string, Static<typeof StreamCapability> & Static<typeof Command>>>;
}

/** Reads a file of streams. The error is one sentence. */
export function parseMeasured(text: string): Result<Measured, string> {
  if (Buffer.byteLength(text) > capabilitiesLimitBytes) return failure(`It is over ${capabilitiesLimitBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failure('It is no JSON');
  }
  for (const schema of [Capabilities, MeasuredStreams]) {
    const [first] = Value.Errors(schema, value);
    if (first) return failure(mistake(first));
  }
  // Safe: both schemas have just been checked.
  const measured = value as Measured;
  if (measured.controls || measured.messages) return failure('A gateway measures: it has no controls and messages');
  const problem = capabilitiesProblem(measured);
  return problem === undefined ? success(measured) : failure(problem);
}

const mistake = (error: ReturnType<typeof Value.Errors>[number]): string =>
  error.instancePath.endsWith('/command') && error.keyword === 'pattern'
    ? `${error.instancePath} is no command that only reads: get, gpio_get, gpios_get, adc, wlan_get_rssi`
    : `${error.instancePath || '/'} ${schemaDemand(error)}`;

/** A number as modules print them: decimal, or hexadecimal with `0x`. */
function sampleOf(answer: string, type: 'number' | 'string'): DataValue | undefined {
  const line = answer.split('\n').at(-1)?.trim() ?? '';
  if (type === 'string') return line.slice(0, dataValueLimit);
  const number = /^(0x[0-9a-f]{1,8}|[+-]?\d+(?:\.\d+)?)\b/i.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Asks a module for all that it measures. What it refuses, and what is no value of its stream, is left out; silence is a failure. */
export async function measure(
  driver: Driver,
  { streams }: Measured,
  atS: number,
): Promise<Result<readonly Datum[], DriverFailure>> {
  const samples: Datum[] = [];
  for (const [n, stream] of Object.entries(streams)) {
    const answered = await driver.run(stream.command);
    if (!answered.ok) return answered;
    const v = answered.value.code === 0 ? sampleOf(answerText(answered.value), stream.type) : undefined;
    if (v !== undefined && valueProblem(v, stream) === undefined) samples.push({ n, v, t: atS });
  }
  return success(samples);
}

const fileName = 'streams.json';

/**
 * Brings what a module measures to the service. Samples are in the store until they are there. What it is that the module
 * measures says a file among those of the device at the service, else whoever has adopted it.
 */
export class StreamSender {
  readonly #device: Device;
  readonly #adopted: Measured | undefined;
  #measured: Measured | undefined;
  #problem: string | undefined;
  /** Called with one sentence when the service begins to refuse. */
  readonly #say: (text: string) => void;
  #isSending = false;
  #trouble = '';

  constructor(device: Device, adopted: Measured | undefined, say: (text: string) => void) {
    this.#device = device;
    this.#adopted = adopted;
    const { activated, capabilities } = device.data;
    const before = activated ? parseMeasured(JSON.stringify(capabilities)) : undefined;
    this.#measured = before?.ok ? before.value : adopted;
    this.#say = say;
  }

  /** What the module is asked with each poll. */
  get measured(): Measured | undefined {
    return this.#measured;
  }

  /** What is wrong with the file at the service; the streams are those of before then. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Reads the file at the service; one that is away says nothing new. */
  async read(): Promise<void> {
    const path = callUrl(fileEndpoints.get, { params: { target: 'device', path: gatewayStreamsPath } });
    const { client } = this.#device;
    const fetched = await client.withConnection((connection) => connection.fetch(path, capabilitiesLimitBytes + 1));
    if (!fetched.ok && fetched.error.result !== otaResults.notFound) return;
    const parsed = fetched.ok ? parseMeasured(Buffer.from(fetched.value).toString()) : success(this.#adopted);
    this.#problem = parsed.ok ? undefined : parsed.error.slice(0, 256);
    if (parsed.ok) this.#measured = parsed.value;
  }

  /** Resolves when the samples are durable; the service is not waited for. @throws when the store fails */
  async take(samples: readonly Datum[]): Promise<void> {
    if (!this.#measured) return;
    const isKnown = this.#isKnown;
    if (isKnown) await this.#device.data.sample(samples);
    if (this.#isSending) return;
    this.#isSending = true;
    this.#send(isKnown ? [] : samples)
      .then(
        (sent) => (sent.ok ? '' : problemOf(sent.error)),
        (cause: unknown) => String(cause),
      )
      .then((trouble) => {
        this.#isSending = false;
        if (trouble !== '' && trouble !== this.#trouble) this.#say(`The service does not take its streams: ${trouble}`);
        this.#trouble = trouble;
      });
  }

  /** Whether the service knows these very streams. */
  get #isKnown(): boolean {
    const { activated, capabilities } = this.#device.data;
    return activated && JSON.stringify(capabilities) === JSON.stringify(this.#measured);
  }

  async #send(samples: readonly Datum[]): Promise<Result<void, DataRefusal>> {
    const { data } = this.#device;
    if (!this.#isKnown) {
      const activated = await this.#activate();
      if (!activated.ok) return activated;
      await data.sample(samples);
    }
    return data.sync('push');
  }

  async #activate(): Promise<Result<void, DataRefusal>> {
    const { data, files } = this.#device;
    const ended = data.activated ? await data.deactivate() : success(undefined);
    if (!ended.ok) return ended;
    const content = Buffer.from(JSON.stringify(this.#measured));
    const file = { name: fileName, size: content.length, version: [1, 0, 0, 0], purpose: 'requested' } as const;
    const writer = await files.create(file);
    if (!writer.ok) return failure({ kind: 'malformed', detail: writer.error });
    await writer.value.append(content);
    const finished = await writer.value.finish();
    return finished.ok ? data.activate(undefined, fileName) : failure({ kind: 'malformed', detail: finished.error });
  }
}

const problemOf = (refusal: DataRefusal): string =>
  refusal.kind === 'service' ? refusal.error.message : 'detail' in refusal ? refusal.detail : refusal.kind;
