import type { ExtensionName } from '@moorage/api';
import type { FastifyInstance } from 'fastify';
import type { Core, Foundation } from '../core/core.ts';
import type { Hooks } from '../core/hooks.ts';
import type { MaintenancePiece } from '../core/maintenance.ts';
import type { WorkLease } from '../engine/db/leases.ts';
import type { MountOptions, Resources, Routes } from '../engine/http/mount.ts';

/** What the process brings for one of them; each declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: extensions add to it.
export interface Brought {}

/** What an extension is handed before the core is there. */
export type ExtensionParts = Foundation & Brought;

/** What work in the background is handed: its own connections, the clock that it looks again by, and who does what. */
export interface Background extends Foundation {
  readonly lease: WorkLease;
}

/** An extension that has been put together; nothing of it runs before `start`. */
export interface Opened<C extends Resources> {
  /** What it answers to the core. */
  readonly hooks?: Partial<Hooks>;
  /** The handlers of its endpoints. */
  readonly routes: (core: Core) => Routes<C>;
  /** Adds what devices call of it to their listener. */
  readonly mountOnDevices?: (app: FastifyInstance, core: Core, mounting: MountOptions) => void;
  /** What it has done every hour. */
  readonly maintenance?: readonly MaintenancePiece[];
  /** Begins what it does by itself. Resolves with what ends it. */
  readonly start?: (core: Core, background: Background) => Promise<() => Promise<void>>;
  /** Called once the listeners are closed. */
  readonly close?: () => Promise<void>;
}

/** A part of the service that goes beyond the specification: all that it is, as one value. */
export interface Extension<C extends Resources = Resources> {
  readonly name: ExtensionName;
  readonly contracts: C;
  /** What devices call of it, on their listener. */
  readonly deviceContracts?: Resources;
  readonly open: (parts: ExtensionParts) => Opened<C>;
}

/** Declares an extension: the handlers are exactly those of its contracts. */
export const extension = <const C extends Resources>(declared: Extension<C>): Extension =>
  // Safe: what is mounted are its own contracts, with the handlers that it makes for them.
  declared as unknown as Extension;
