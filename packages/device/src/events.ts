import type { ServiceAction } from '@moorage/api';
import type { OtaResultCode, ServiceFailure } from './failures.ts';

/** Why there is no channel, as far as it matters for when to try again. */
export type EndReason = 'lost' | 'restarting' | 'replaced' | 'refused' | 'renewed';

/** What happens between device and service, for a progress bar or the output of a command. */
export type DeviceEvent =
  | { readonly type: 'provisioned' }
  | { readonly type: 'claimed'; readonly product: string; readonly user: string | null }
  | { readonly type: 'activated'; readonly product: string; readonly bundle: string | null }
  /** Asked for an update, the service has nothing newer than what runs. */
  | { readonly type: 'current'; readonly bundleId: string; readonly bversion: string }
  /** The service has said when it wants to be asked again, in seconds. */
  | { readonly type: 'poll'; readonly afterS: number }
  /** An update has been accepted; `totalBytes` and `files` are what is still to be fetched. */
  | {
      readonly type: 'ota';
      readonly bundleId: string;
      readonly version: string;
      readonly totalBytes: number;
      readonly files: number;
    }
  /** One file on its way; the first of each file has 0 received bytes. */
  | { readonly type: 'progress'; readonly file: string; readonly receivedBytes: number; readonly totalBytes: number }
  /** All files are valid; a restart follows. */
  | { readonly type: 'installed'; readonly bundleId: string; readonly bversion: string }
  /** The restarted device has reported what it runs. */
  | { readonly type: 'updated'; readonly bundleId: string; readonly bversion: string }
  /** The message channel is open, or why it is not any more. */
  | { readonly type: 'channel'; readonly open: true }
  | { readonly type: 'channel'; readonly open: false; readonly reason: EndReason }
  /** An action of the message channel without a listener. */
  | { readonly type: 'action'; readonly action: ServiceAction }
  /** The certificate has been renewed, or why not. */
  | { readonly type: 'renewal'; readonly failed: ServiceFailure | undefined }
  | { readonly type: 'failed'; readonly result: OtaResultCode; readonly message: string };

export type DeviceEventListener = (event: DeviceEvent) => void;
