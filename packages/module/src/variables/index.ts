import { broadcastVariables } from './broadcast.ts';
import { busVariables } from './bus.ts';
import { cloudVariables } from './cloud.ts';
import { dmsVariables } from './dms.ts';
import { emailVariables } from './email.ts';
import { gpioVariables } from './gpio.ts';
import { httpVariables } from './http.ts';
import { ioconnVariables } from './ioconn.ts';
import type { ValueOfKind } from './kinds.ts';
import { mdnsVariables } from './mdns.ts';
import { networkVariables } from './network.ts';
import { ntpVariables } from './ntp.ts';
import { otaVariables } from './ota.ts';
import { remoteTerminalVariables } from './remote-terminal.ts';
import { setupVariables } from './setup.ts';
import { softapVariables } from './softap.ts';
import { staticVariables } from './static.ts';
import { streamVariables } from './stream.ts';
import { systemVariables } from './system.ts';
import { tcpVariables } from './tcp.ts';
import { timeVariables } from './time.ts';
import { uartVariables } from './uart.ts';
import { udpVariables } from './udp.ts';
import { userVariables } from './user.ts';
import type { Variable } from './variable.ts';
import { wlanVariables } from './wlan.ts';

/** Every variable of the module with its exact type, from which the types of the store derive. */
const rows = [
  ...broadcastVariables,
  ...busVariables,
  ...cloudVariables,
  ...dmsVariables,
  ...emailVariables,
  ...gpioVariables,
  ...httpVariables,
  ...ioconnVariables,
  ...mdnsVariables,
  ...networkVariables,
  ...ntpVariables,
  ...otaVariables,
  ...remoteTerminalVariables,
  ...setupVariables,
  ...softapVariables,
  ...staticVariables,
  ...streamVariables,
  ...systemVariables,
  ...tcpVariables,
  ...timeVariables,
  ...uartVariables,
  ...udpVariables,
  ...userVariables,
  ...wlanVariables,
] as const;

type Row = (typeof rows)[number];

/** Name of a variable, as the code uses it; a personality may spell the prefix `cloud` differently. */
export type VariableName = Row['name'];

/** Name of a variable that takes an index. */
export type IndexedName = Extract<Row, { index: unknown }>['name'];

/** Name of a variable that has one value. */
export type PlainName = Exclude<VariableName, IndexedName>;

/** What the store returns for each variable. A map, so that parts of the store can be described by parts of it. */
export type VariableValues = { readonly [R in Row as R['name']]: ValueOfKind<R['kind']> };

export type VariableValue<Name extends VariableName> = VariableValues[Name];

/** Every variable of the module. */
export const allVariables: readonly Variable[] = rows;
