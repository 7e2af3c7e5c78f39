import { type CapabilitiesOffer, capabilitiesLimitBytes } from '@moorage/api';
import { type Result, success } from '@moorage/base';
import type { Static } from 'typebox';
import type { LinkFailure } from './results.ts';
import { dataCalls } from './service-client.ts';
import type { ServiceLine } from './service-line.ts';

/** A capabilities file that the service has for this kind of device. */
export type Offer = Static<typeof CapabilitiesOffer>;

/** Longest setup script, in bytes. */
const maxScriptBytes = 65_536;

/** The files on offer, the best ones first. Spec: MOD-OPT-cloud_capabilities-list. */
export const listOffers = (line: ServiceLine): Promise<Result<Offer[], LinkFailure>> =>
  line.inTurn(() => line.ask(dataCalls.offers, {}));

/** A capabilities file with its setup script, as they are downloaded. */
export interface FetchedOffer {
  readonly file: Uint8Array;
  /** Missing when it was not wanted, or there is none. */
  readonly script: Uint8Array | undefined;
}

/** Downloads an offer, and its setup script if it is wanted and there is one. */
export const fetchOffer = (
  line: ServiceLine,
  { url, script }: Offer,
  wantsScript: boolean,
): Promise<Result<FetchedOffer, LinkFailure>> =>
  line.inTurn(() =>
    line.withClient(async (client): Promise<Result<FetchedOffer, LinkFailure>> => {
      const file = await client.fetch(url, capabilitiesLimitBytes);
      if (!file.ok) return file;
      if (!wantsScript || script === undefined) return success({ file: file.value, script: undefined });
      const fetched = await client.fetch(script, maxScriptBytes);
      return fetched.ok ? success({ file: file.value, script: fetched.value }) : fetched;
    }),
  );
