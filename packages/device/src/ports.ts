import type { ReportedAttributes, UpdateOffer } from '@moorage/api';
import type { Clock, Result, Store, Version } from '@moorage/base';
import type { Net } from '@moorage/net';
import type { ServiceFailure } from './failures.ts';

/** A whole and valid file of the device. */
export interface DeviceFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** CRC-16 of the content. */
  readonly crc: number;
  readonly version: Version;
  /** Never leaves the device: keys and certificates, and what else its owner keeps back. */
  readonly isSecret: boolean;
}

interface FileContent {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly version: Version;
  /** When given, the file becomes valid only if its bytes have this CRC-16. */
  readonly crc?: number;
}

/** A file to be written: of the device's identity, of an update, or one that was asked for. */
export type NewFile =
  | (FileContent & { readonly purpose: 'identity' | 'requested' })
  | (FileContent & {
      readonly purpose: 'update';
      /** As the manifest has them. Reference: flash 2.2. */
      readonly type: number;
      readonly flags: string;
      /** Names of all files of the bundle: none of them may be deleted to make room. */
      readonly bundled: ReadonlySet<string>;
    });

/** A file on its way. Exactly one of `finish` and `abandon` ends it. */
export interface FileWriter {
  /** Takes the next bytes, which it may keep: they do not change afterwards. */
  append(chunk: Uint8Array): void | Promise<void>;
  /** Makes the file valid once it is durable. The error says in a few words why it is not; nothing is left of it then. */
  finish(): Promise<Result<unknown, string>>;
  abandon(): Promise<void>;
}

/**
 * The files of a device. Every change is durable when its promise resolves, and each file is whole or absent at any
 * time; promises reject only when the storage itself fails.
 */
export interface DeviceFiles {
  /** In no order. */
  list(): readonly DeviceFile[];
  stat(name: string): DeviceFile | undefined;
  /** Begins a file, which takes the place of one of that name when it is finished. The error is a few words. */
  create(file: NewFile): Promise<Result<FileWriter, string>>;
  /** The whole content; do not change the bytes. */
  readAll(name: string, maxBytes: number): Promise<Result<Uint8Array, 'missing' | 'too-large'>>;
  /** Deletes a file, a secret one too; nothing happens when there is none. */
  remove(name: string): Promise<unknown>;
}

/** The device's network, where the device has to join it first. */
export interface DeviceNetwork {
  isUp(): boolean;
  ensureUp(): Promise<Result<void, ServiceFailure>>;
}

/** Where the service is. */
export interface ServiceSettings {
  readonly host: string;
  /** Of the device listener. */
  readonly port: number;
  /** Plain HTTP with uuid and token headers instead of TLS: for a service with an insecure device listener. */
  readonly insecure?: boolean;
  /** Name of a file with the authority that signs the service, until provisioning has brought one. */
  readonly authorityFile?: string;
}

/** An update whose files are whole in the device's store, for a device that runs them elsewhere. */
export interface Installation {
  readonly bundleId: string;
  readonly version: string;
  /** The files of the offer: all of the bundle but those that the device has said it holds. */
  readonly files: UpdateOffer['files'];
  /** How long the restart has to wait for its window, in ms. */
  readonly waitMs: number;
  /** Aborted when the device stops. */
  readonly signal: AbortSignal;
  /** Keeps a content among the files of the device at the service. */
  readonly keep: (path: string, content: Uint8Array) => Promise<Result<unknown, ServiceFailure>>;
}

/** What a device client is made of; it creates none of it. */
export interface DevicePorts {
  readonly clock: Clock;
  readonly net: Net;
  /** Keeps what the client remembers without power, in entries of its own. */
  readonly store: Store;
  readonly files: DeviceFiles;
  readonly identity: { readonly mac: string; readonly uuid: string };
  /** Asked before each connection. */
  readonly service: () => ServiceSettings;
  readonly network: DeviceNetwork;
  /** Version text that the device reports while no bundle has been installed; at most 255 characters. */
  readonly factoryVersion: () => string;
  /** What the device reports of itself whenever it asks for an update, and when its channel opens; nothing without it. */
  readonly attributes?: (() => ReportedAttributes) | undefined;
  /**
   * Whether the device or its user agrees to an update that the service does not force. When not now, it is offered
   * again later; one that is refused has failed. A device without it always agrees.
   */
  readonly consent?: ((version: string) => Promise<boolean | 'refused'>) | undefined;
  /**
   * Whether the device works with the update that it has restarted into; asked before that is reported. A device without
   * it always does.
   */
  readonly healthy?: ((version: string) => Promise<boolean>) | undefined;
  /**
   * Brings the files of an update from the store to where they run, before the device says that it has them; a failure
   * makes the update one that failed. A device without it runs the files in its store.
   */
  readonly install?: ((update: Installation) => Promise<Result<void, ServiceFailure>>) | undefined;
  /** Stops everything volatile and boots again; comes back through `stop`, `load` and `start` of the client. */
  readonly reboot: () => Promise<void>;
}
