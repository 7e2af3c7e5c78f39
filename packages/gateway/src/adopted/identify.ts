import { type Result, success } from '@moorage/base';
import { type Driver, type DriverFailure, driverFailure } from '../driver/driver.ts';
import { macOf } from '../find/sightings.ts';
import { askText } from '../module/tables.ts';

/** Who a module is. */
export interface ModuleIdentity {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** As the module prints it. */
  readonly uuid: string;
  /** The version line. */
  readonly version: string;
}

/** Asks a module who it is. */
export async function identify(driver: Driver): Promise<Result<ModuleIdentity, DriverFailure>> {
  const answers: string[] = [];
  for (const line of ['get wlan.mac', 'get system.uuid', 'version']) {
    const text = await askText(driver, line);
    if (!text.ok) return text;
    answers.push(text.value.split('\n').at(-1)?.trim() ?? '');
  }
  const [macText, uuid = '', version = ''] = answers;
  const mac = macOf(macText);
  if (mac === undefined) return driverFailure('garbled', 'The module tells no MAC address');
  if (!/^[0-9A-Fa-f]{40}$/.test(uuid)) return driverFailure('garbled', 'The module tells no uuid');
  return success({ mac, uuid, version });
}
