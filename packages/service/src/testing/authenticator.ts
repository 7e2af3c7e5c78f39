import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { MadeCredential, PasskeyCreation, PasskeyRequest, ShownCredential } from '@moorage/api';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** What an authenticator, or the browser around it, says that is not so. */
export interface Lies {
  readonly type?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly credentialId?: string;
  readonly counter?: number;
  /** The user was not asked who they are. */
  readonly isVerified?: boolean;
  readonly format?: string;
  readonly statement?: Map<string, unknown>;
}

interface Key {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly rpId: string;
  readonly userHandle: string;
}

export interface SoftAuthenticator {
  make(options: PasskeyCreation, lies?: Lies): MadeCredential;
  /** Signs with the passkey that it has made last for this name. */
  show(options: PasskeyRequest, lies?: Lies): ShownCredential;
}

const flags = { present: 1, verified: 4, made: 64 } as const;
const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

function authenticatorData(rpId: string, isVerified: boolean, counter: number, made?: Uint8Array): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const flag = flags.present | (isVerified ? flags.verified : 0) | (made ? flags.made : 0);
  return Buffer.concat([hash('sha256', rpId, 'buffer'), Buffer.from([flag]), count, made ?? Buffer.alloc(0)]);
}

/** The public key as COSE writes it: P-256, ES256. */
function coseOf(publicKey: KeyObject): Uint8Array {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  return isoCBOR.encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]),
  );
}

/** A security key in software, and the browser around it on a page of this origin. It counts its signatures. */
export function softAuthenticator(origin: string): SoftAuthenticator {
  const keys: Key[] = [];
  let counter = 0;
  const clientData = (type: string, challenge: string, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
      }),
    );
  return {
    make({ challenge, rp, user }, lies = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const id = lies.credentialId ?? base64url(randomBytes(16));
      keys.push({ id, privateKey, rpId: rp.id, userHandle: user.id });
      const idBytes = Buffer.from(id, 'base64url');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(idBytes.length);
      const made = Buffer.concat([Buffer.alloc(16), length, idBytes, coseOf(publicKey)]);
      counter += 1;
      const { rpId = rp.id, isVerified = true, format = 'none', statement = new Map() } = lies;
      const authData = authenticatorData(rpId, isVerified, lies.counter ?? counter, made);
      const object = new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', new Uint8Array(authData)],
      ]);
      return {
        id,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, lies)),
          // Safe: texts, maps and bytes.
          attestationObject: base64url(isoCBOR.encode(object as Parameters<typeof isoCBOR.encode>[0])),
          transports: ['internal', 'pigeon'],
        },
      };
    },
    show({ challenge, rpId }, lies = {}) {
      const key = keys.findLast((one) => one.rpId === rpId) ?? keys.at(-1);
      if (!key) throw new Error('There is no passkey to show');
      counter += 1;
      const { isVerified = true, userHandle = key.userHandle } = lies;
      const authData = authenticatorData(lies.rpId ?? rpId, isVerified, lies.counter ?? counter);
      const data = clientData('webauthn.get', challenge, lies);
      const signed = Buffer.concat([authData, hash('sha256', data, 'buffer')]);
      return {
        id: lies.credentialId ?? key.id,
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authData),
          signature: base64url(sign('sha256', signed, key.privateKey)),
          userHandle,
        },
      };
    },
  };
}
