import { createHmac, createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { attributeName, type MenderInventory, type ReportedAttributes } from '@moorage/api';
import { dayMs } from '@moorage/base';
import { isDoorName } from '../rules.ts';

/** The key of a request, if the request is signed with it. */
export interface SignedBy {
  /** SHA-256 of the public key, hex. */
  readonly keyHash: string;
}

const isUsable = (key: KeyObject): boolean => ['rsa', 'ec', 'ed25519'].includes(key.asymmetricKeyType ?? '');

/**
 * Checks the signature of a request over its body as it came: RSA and ECDSA with SHA-256, Ed25519 without a hash
 * before. Nothing for a key that is none, and for a signature that is not its.
 */
export function signerOf(pem: string, signature: string | undefined, body: string): SignedBy | undefined {
  if (signature === undefined) return undefined;
  try {
    const key = createPublicKey(pem);
    if (!isUsable(key)) return undefined;
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    if (!verify(algorithm, Buffer.from(body), key, Buffer.from(signature, 'base64'))) return undefined;
    return { keyHash: hash('sha256', key.export({ type: 'spki', format: 'der' })) };
  } catch {
    // What the library throws for a text that is no key says nothing more.
    return undefined;
  }
}

/** The name of a device by its identity: its only value, or else the check sum of what it says; nothing for no identity. */
export function nameOf(idData: string): string | undefined {
  let identity: unknown;
  try {
    identity = JSON.parse(idData);
  } catch {
    return undefined;
  }
  if (typeof identity !== 'object' || identity === null || Array.isArray(identity)) return undefined;
  const entries = Object.entries(identity).toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 0) return undefined;
  const [first] = entries;
  const only = entries.length === 1 && typeof first?.[1] === 'string' ? first[1] : undefined;
  return only !== undefined && isDoorName(only) ? only : hash('sha256', JSON.stringify(entries)).slice(0, 32);
}

/** How long a token is good, in ms. */
const tokenMs = 7 * dayMs;
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(`mender\n${text}`).digest('base64url');

/** A token for a device with a key, in the form of a JWT: clients only look whether it is there. */
export function makeToken(key: Buffer, deviceId: string, keyHash: string, nowMs: number): string {
  const claims = { sub: deviceId, key: keyHash, exp: Math.floor((nowMs + tokenMs) / 1000) };
  const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claims)}`;
  return `${text}.${signed(key, text)}`;
}

/** Whom a token is of; nothing for one that is wrong or over. */
export function readToken(
  key: Buffer,
  token: string,
  nowMs: number,
): { deviceId: string; keyHash: string } | undefined {
  const found = /^([\w-]+\.([\w-]+))\.([\w-]{43})$/.exec(token);
  const [, text = '', claims = '', shown = ''] = found ?? [];
  if (!found || !timingSafeEqual(Buffer.from(signed(key, text)), Buffer.from(shown))) return undefined;
  // Safe: what is signed has been written here.
  const { sub, key: keyHash, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof keyHash !== 'string' || Number(exp) * 1000 < nowMs) return undefined;
  return { deviceId: sub, keyHash };
}

const longestValue = 256;
const isName = new RegExp(attributeName);

/** An inventory as attributes; what is `replaced` and not in it goes. */
export function attributesOf(inventory: MenderInventory, replaced: readonly string[]): ReportedAttributes {
  const sent = inventory.map(({ name, value }) => {
    const plain = name === 'version' ? 'reported.version' : name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 63);
    const text = typeof value === 'string' ? value : value.join(', ');
    return [isName.test(plain) ? plain : `x${plain}`, text.slice(0, longestValue)] as const;
  });
  return Object.fromEntries([
    ...replaced.filter((name) => name !== 'version').map((name) => [name, null] as const),
    ...sent,
  ]);
}

/** What an artifact says of itself. */
export interface ArtifactHeader {
  readonly name: string;
  readonly deviceTypes: readonly string[];
}

/** The artifact for a device type among those of a release. */
export const artifactFor = <A extends ArtifactHeader>(artifacts: readonly A[], deviceType: string): A | undefined =>
  artifacts.find(({ deviceTypes }) => deviceTypes.includes(deviceType));
