import { type CapabilitiesOffer, capabilitiesLimitBytes } from '@moorage/api';
import { type Result, success } from '@moorage/base';
import type { Static } from 'typebox';
import type { DeviceClient } from '../client.ts';
import { dataEndpoints } from '../connection.ts';
import type { ServiceFailure } from '../failures.ts';

/** A capabilities file that the service has for this kind of device. */
export type Offer = Static<typeof CapabilitiesOffer>;

/** Longest setup script, in bytes. */
const maxScriptBytes = 65_536;

/** The files on offer, the best ones first. Spec: MOD-OPT-cloud_capabilities-list. */
export const listOffers = (client: DeviceClient): Promise<Result<Offer[], ServiceFailure>> =>
  client.request(dataEndpoints.offers, {});

/** A capabilities file with its setup script, as they are downloaded. */
interface FetchedOffer {
  readonly file: Uint8Array;
  /** Missing when it was not wanted, or there is none. */
  readonly script: Uint8Array | undefined;
}

/** Downloads an offer, and its setup script if it is wanted and there is one. */
export const fetchOffer = (
  client: DeviceClient,
  { url, script }: Offer,
  wantsScript: boolean,
): Promise<Result<FetchedOffer, ServiceFailure>> =>
  client.withConnection(async (connection): Promise<Result<FetchedOffer, ServiceFailure>> => {
    const file = await connection.fetch(url, capabilitiesLimitBytes);
    if (!file.ok) return file;
    if (!wantsScript || script === undefined) return success({ file: file.value, script: undefined });
    const fetched = await connection.fetch(script, maxScriptBytes);
    return fetched.ok ? success({ file: file.value, script: fetched.value }) : fetched;
  });
