import { expect, it } from 'vitest';
import { imageMime, placeholder, refuseImage } from './rules.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

// API-LIMIT-avatar
it.each([
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['\xff\xd8\xff\xe0....', 'image/jpeg'],
  ['GIF87a....', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\x10\0\0\0WAVEfmt ', undefined],
  ['\x89PNG\n\x1a\n....', undefined],
  ['\xff\xd8', undefined],
  ['GIF90a', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg">', undefined],
  ['<script>', undefined],
  ['BM....', undefined],
  ['', undefined],
])('bytes %j are %s', (head, mime) => {
  expect(imageMime(bytes(head))).toBe(mime);
  expect(refuseImage(bytes(head))?.code).toBe(mime === undefined ? 'NOT_AN_IMAGE' : undefined);
});

// API-RULE-avatar-1
it.each([
  ['ada.lovelace', 'AD'],
  ['<b>"&', 'B'],
  ['</text><script>', 'TE'],
  ['-', '?'],
  ['ßé', 'SSÉ'],
  ['日本', '日本'],
])('placeholder of %s has the letters %s and nothing of its markup', (name, letters) => {
  const svg = placeholder('6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e', name);
  expect(svg).toContain(`>${letters}</text></svg>`);
  expect(svg.match(/</g)).toHaveLength(5);
});

it('placeholder is the same for the same id, and of another colour for another', () => {
  expect(placeholder('a', 'x')).toBe(placeholder('a', 'x'));
  expect(placeholder('a', 'x')).not.toBe(placeholder('b', 'x'));
});
