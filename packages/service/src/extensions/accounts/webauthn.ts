import type { MadeCredential, ShownCredential } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { namedHost } from '../../engine/http/called-address.ts';
import type { RequestOrigin } from '../../engine/http/types.ts';

/** Signatures that are taken, as COSE numbers them, the best first: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257] as const;

/** What a browser is asked to sign, and whose user it says it acts for: text in base64url. */
export const wireText = (text: string): string => Buffer.from(text).toString('base64url');

/** Comes with the first passkey: most services have none, and it is a large library. */
const library = () => import('@simplewebauthn/server');

/** What the library throws is what it refuses. */
async function refusing<T>(verify: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return success(await verify());
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}

/** The challenge that a browser says it has signed; undefined when it says none. */
export function challengeIn(clientDataJson: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Whether no certificate of a maker is in it: nothing is asked for one, and looking one up would ask other machines. */
async function isWithoutCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = object.get('fmt');
  return format === 'none' || (format === 'packed' && object.get('attStmt').get('x5c') === undefined);
}

/** A passkey as it was made. */
export interface MadeKey {
  readonly credentialId: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/**
 * Looks at a passkey that a browser has made at an address for a challenge. The failure is a sentence for the log.
 * Spec: API-RULE-passkey-1.
 */
export const verifyMade = (
  { id, response }: MadeCredential,
  { origin, rpId }: PasskeyAddress,
  challenge: string,
): Promise<Result<MadeKey, string>> =>
  refusing(async () => {
    if (!(await isWithoutCertificates(response.attestationObject))) throw new Error('There is a certificate in it');
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      // One that does not know its user is good as a second step.
      requireUserVerification: false,
      supportedAlgorithmIDs: [...algorithms],
    });
    if (!registrationInfo) throw new Error('The signature is wrong');
    const { credential } = registrationInfo;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    return { credentialId: credential.id, publicKey, counter: credential.counter };
  });

/** What a signature has to be for. */
export interface Expected extends PasskeyAddress {
  readonly challenge: string;
  /** The authenticator has made sure who its user is, by a PIN or a finger. */
  readonly isUserVerified: boolean;
}

/**
 * Looks at what a passkey has signed; the count that it signed is returned. The failure is a sentence for the log.
 * Spec: API-RULE-passkey-1.
 */
export const verifyShown = (
  { id, response }: ShownCredential,
  key: MadeKey,
  { origin, rpId, challenge, isUserVerified }: Expected,
): Promise<Result<number, string>> =>
  refusing(async () => {
    const { verifyAuthenticationResponse } = await library();
    const { clientDataJSON, authenticatorData, signature } = response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: isUserVerified,
      credential: {
        id: key.credentialId,
        publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
        counter: key.counter,
      },
    });
    if (!verified) throw new Error('The signature is wrong');
    return authenticationInfo.newCounter;
  });

/** Where passkeys are for: the address of the pages, and the name of its host, which browsers know them by. */
export interface PasskeyAddress {
  readonly origin: string;
  readonly rpId: string;
}

/** The address of the pages: the one of the settings, else the one that was called. */
export const pagesAt = (
  { publicUrl }: { readonly publicUrl: string | undefined },
  { headers, isEncrypted }: RequestOrigin,
) => {
  const called = `${isEncrypted ? 'https' : 'http'}://${namedHost(headers) ?? ''}`;
  return publicUrl ?? (URL.canParse(called) ? new URL(called).origin : called);
};

/** What passkeys are for at an address; undefined where browsers make none: an IP address, or one without TLS. */
export function passkeyAddress(origin: string): PasskeyAddress | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { hostname, protocol } = new URL(origin);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  // A parsed address has dots alone in one of IPv4, however it was written, and brackets around one of IPv6.
  const isName = !/^\[|^\d+(\.\d+){3}$/.test(hostname);
  return isName && (isLocal || protocol === 'https:') ? { origin, rpId: hostname } : undefined;
}
