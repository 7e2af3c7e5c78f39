import { type Refusal, refusal } from '@moorage/api';

/** Bytes that tell one kind of image from another. */
export const imageHeadBytes = 16;

const at = (head: Uint8Array, offset: number, text: string): boolean =>
  Buffer.from(head.subarray(offset, offset + text.length)).toString('latin1') === text;

/** The images that may be avatars, by their first bytes. What the uploader calls them does not count. */
const imageKinds: readonly { readonly mime: string; readonly begins: (head: Uint8Array) => boolean }[] = [
  { mime: 'image/png', begins: (head) => at(head, 0, '\x89PNG\r\n\x1a\n') },
  { mime: 'image/jpeg', begins: (head) => at(head, 0, '\xff\xd8\xff') },
  { mime: 'image/gif', begins: (head) => at(head, 0, 'GIF87a') || at(head, 0, 'GIF89a') },
  { mime: 'image/webp', begins: (head) => at(head, 0, 'RIFF') && at(head, 8, 'WEBP') },
];

/** The media type of an image, by its first bytes. Spec: API-LIMIT-avatar. */
export const imageMime = (head: Uint8Array): string | undefined => imageKinds.find(({ begins }) => begins(head))?.mime;

/** The refusal of what is no image that may be an avatar: NOT_AN_IMAGE. Spec: API-LIMIT-avatar. */
export const refuseImage = (head: Uint8Array): Refusal | undefined =>
  imageMime(head) === undefined ? refusal('NOT_AN_IMAGE', {}, { source: 'body', keys: [] }) : undefined;

/** Degrees of the colour circle: the same for the same id. */
const hueOf = (id: string): number => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);

/** A square with the first letters of a name, in a colour that follows from it, for a user without a picture. SVG text. */
export function placeholder(id: string, name: string): string {
  // Only letters and digits get into the picture, so nothing in it needs escaping.
  const letters = (name.normalize('NFC').match(/[\p{L}\p{N}]/gu) ?? ['?']).slice(0, 2).join('').toUpperCase();
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">' +
    `<rect width="128" height="128" fill="hsl(${hueOf(id)},45%,45%)"/>` +
    '<text x="64" y="64" dy="0.36em" text-anchor="middle" font-family="sans-serif" font-size="56" fill="#fff">' +
    `${letters}</text></svg>\n`
  );
}
