import type { Capabilities, DataCapability, DataValue } from '@moorage/api';

/** A device as home automation sees it. */
export interface AnnouncedDevice {
  readonly id: string;
  readonly uuid: string;
  readonly title: string;
  readonly product: string;
  readonly online: boolean;
  /** Version that it runs, and the one that it follows; `null` when that is not known. */
  readonly installed: string | null;
  readonly latest: string | null;
  /** What it can do; `null` while it is not activated at the data cloud. */
  readonly capabilities: Capabilities | null;
}

/** The values of a device, by the names of its streams and controls. */
export type Values = ReadonlyMap<string, DataValue>;

/** Where a connector publishes: at which broker, and under which topics. */
export interface Place {
  readonly url: string;
  readonly product: string;
  readonly code: string;
  readonly discoveryPrefix: string;
}

/** A text as one level of a topic. */
const level = (text: string): string => text.replace(/[/+#\0]/g, '_');

/** The topics of a connector. Home Assistant names a device by letters, digits, `_` and `-`. */
export function topicsOf({ product, code, discoveryPrefix }: Omit<Place, 'url'>) {
  const base = `moorage/${level(product)}/${level(code)}`;
  return {
    base,
    /** Whether the service speaks for the devices. */
    status: `${base}/status`,
    /** Where Home Assistant says that it has started. */
    birth: `${discoveryPrefix}/status`,
    commands: `${base}/+/set/+`,
    config: (uuid: string) => `${discoveryPrefix}/device/moorage_${uuid}/config`,
    availability: (uuid: string) => `${base}/${uuid}/availability`,
    state: (uuid: string) => `${base}/${uuid}/state`,
    command: (uuid: string, name: string) => `${base}/${uuid}/set/${name}`,
  };
}
export type Topics = ReturnType<typeof topicsOf>;

/** The device and the control of a command's topic; `undefined` for any other. */
export function commandOf({ base }: Topics, topic: string): { uuid: string; name: string } | undefined {
  const [uuid, set, name, ...more] = topic.startsWith(`${base}/`) ? topic.slice(base.length + 1).split('/') : [];
  return uuid && set === 'set' && name && more.length === 0 ? { uuid, name } : undefined;
}

/** Numbers without a limit of their own: Home Assistant would take 1 to 100 else. */
const widest = 1_000_000_000;
/** The smallest step that Home Assistant knows. */
const smallestStep = 0.001;

type Component = Readonly<Record<string, unknown>> & { readonly platform: string };

const unit = ({ units }: DataCapability) => (units ? { unit_of_measurement: units } : {});

const sensor = (capability: DataCapability) => ({
  platform: 'sensor',
  ...unit(capability),
  ...(capability.type === 'number' && { state_class: 'measurement' }),
});

/** A control from 0 to 1 that measures nothing is a switch, as in the console. */
function control(capability: DataCapability): Component {
  const { type, min, max, units } = capability;
  if (type === 'string') return { platform: 'text', max: 128 };
  if (min === 0 && max === 1 && !units) return { platform: 'switch', payload_on: '1', payload_off: '0' };
  const limits = { min: min ?? -widest, max: max ?? widest, step: smallestStep };
  return { platform: 'number', mode: 'box', ...limits, ...unit(capability) };
}

function componentsOf({ uuid, capabilities }: AnnouncedDevice, topics: Topics): Record<string, Component> {
  const { streams = {}, controls = {} } = capabilities ?? {};
  const named = (name: string, { title }: DataCapability) => ({
    unique_id: `moorage_${uuid}_${name}`,
    name: title ?? name,
  });
  const all: Record<string, Component> = {};
  for (const [name, capability] of Object.entries(streams)) {
    const value_template = `{{ value_json.streams['${name}'] }}`;
    all[name] = { ...sensor(capability), ...named(name, capability), value_template };
  }
  for (const [name, capability] of Object.entries(controls)) {
    const command_topic = topics.command(uuid, name);
    const value_template = `{{ value_json.controls['${name}'] }}`;
    all[name] = { ...control(capability), ...named(name, capability), command_topic, value_template };
  }
  // No name of a stream or control has a capital.
  all.FIRMWARE = {
    platform: 'update',
    unique_id: `moorage_${uuid}_FIRMWARE`,
    name: 'Firmware',
    device_class: 'firmware',
    value_template: "{{ value_json.installed | default('', true) }}",
    latest_version_topic: topics.state(uuid),
    latest_version_template: "{{ value_json.latest | default('', true) }}",
  };
  return all;
}

/**
 * What announces a device to Home Assistant, JSON text.
 *
 * @param before platforms of the components that were announced; those that are gone are named once more without anything else
 */
export function configOf(
  device: AnnouncedDevice,
  topics: Topics,
  before: ReadonlyMap<string, string> = new Map(),
): { readonly payload: string; readonly platforms: ReadonlyMap<string, string> } {
  const { uuid, title, product } = device;
  const components = componentsOf(device, topics);
  const platforms = new Map(Object.entries(components).map(([name, { platform }]) => [name, platform]));
  for (const [name, platform] of before) components[name] ??= { platform };
  const payload = JSON.stringify({
    device: { identifiers: [`moorage_${uuid}`], name: title, model: product, serial_number: uuid },
    origin: { name: 'Moorage' },
    availability: [{ topic: topics.status }, { topic: topics.availability(uuid) }],
    availability_mode: 'all',
    state_topic: topics.state(uuid),
    qos: 1,
    components,
  });
  return { payload, platforms };
}

/** What a device measures and how it is set, JSON text; `null` for what it has not said yet. */
export function stateOf(
  { capabilities, installed, latest }: AnnouncedDevice,
  samples: Values,
  controls: Values,
): string {
  const { streams = {}, controls: known = {} } = capabilities ?? {};
  const values = (names: object, of: (name: string) => DataValue | undefined) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, of(name) ?? null]));
  return JSON.stringify({
    streams: values(streams, (name) => samples.get(name)),
    controls: values(known, (name) => controls.get(name) ?? known[name]?.default),
    installed,
    latest,
  });
}

export const availabilityOf = ({ online }: AnnouncedDevice): string => (online ? 'online' : 'offline');

/** The value that a command sets a control to; `undefined` when the device has no such control, or the text is none of its kind. */
export function commandValue({ capabilities }: AnnouncedDevice, name: string, payload: string): DataValue | undefined {
  const controls = capabilities?.controls ?? {};
  const capability = Object.hasOwn(controls, name) ? controls[name] : undefined;
  if (!capability) return undefined;
  if (capability.type === 'string') return payload;
  return payload.trim() !== '' && Number.isFinite(Number(payload)) ? Number(payload) : undefined;
}

/** The four-part version of a text that devices report; the text itself where there is none. */
export const versionOf = (bversion: string | null): string | null =>
  bversion === null ? null : (/-(\d+(?:\.\d+){3})(?:,|$)/.exec(bversion)?.[1] ?? bversion);
