export type { ChannelPorts, DeviceChannel } from './channel/device-channel.ts';
export type { CommandOutcome, RequestBody } from './channel/session.ts';
export type { ActionListener, Claim, Installed } from './client.ts';
export { DeviceClient } from './client.ts';
export { dataEndpoints, endpoints, fileEndpoints } from './connection.ts';
export type { DataNotices, DataParts, DataRefusal, Login } from './data/data-cloud.ts';
export { DataCloud } from './data/data-cloud.ts';
export type { Datum, WrittenValue } from './data/values.ts';
export { type ConnectOptions, createDevice, type Device, type DeviceOptions } from './device.ts';
export type { DeviceEvent, DeviceEventListener } from './events.ts';
export {
  failureTexts,
  type OtaResultCode,
  type ProvisionStatus,
  provisionStatus,
  type ServiceFailure,
} from './failures.ts';
export type * from './ports.ts';
export { fallBack } from './record.ts';
export type { RemoteFiles } from './remote-files.ts';
export { StoreFiles } from './store-files.ts';
export type { OtaOptions, UpdateOutcome } from './update/updater.ts';
