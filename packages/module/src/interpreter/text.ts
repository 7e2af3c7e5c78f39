/** Bytes that are no UTF-8 live inside texts as lone surrogates from here on, so that they come back as they were. */
const strayBase = 0xdc00;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads bytes as UTF-8 without losing any: a byte that is no part of a character becomes one lone surrogate, which
 * `encodeText` turns back into the byte. Network names and file names are bytes to the module, not texts.
 */
export function decodeText(bytes: Uint8Array): string {
  const buffer = asBuffer(bytes);
  if (buffer.every((byte) => byte < 0x80)) return buffer.toString('latin1');
  try {
    return strict.decode(buffer);
  } catch {
    return decodeStray(buffer);
  }
}

/** The bytes of a text: UTF-8, and the stray bytes that `decodeText` kept. */
export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const stray = code >= strayBase + 0x80 && code <= strayBase + 0xff;
    return stray ? Buffer.of(code - strayBase) : Buffer.from(character, 'utf8');
  });
  return Buffer.concat(parts);
}

/** A text as its bytes, one character for each (latin1). */
export const byteText = (text: string): string => Buffer.from(encodeText(text)).toString('latin1');

/** How many bytes the character that starts with `lead` has; 1 for what cannot start one. */
export function utf8Length(lead: number): number {
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 1;
}

function decodeStray(buffer: Buffer): string {
  let text = '';
  for (let at = 0; at < buffer.length; ) {
    const lead = buffer[at] ?? 0;
    const size = utf8Length(lead);
    const character = decodeCharacter(buffer.subarray(at, at + size));
    text += character ?? String.fromCharCode(strayBase + lead);
    at += character === undefined ? 1 : size;
  }
  return text;
}

function decodeCharacter(bytes: Uint8Array): string | undefined {
  if (bytes.length === 1 && (bytes[0] ?? 0) >= 0x80) return undefined;
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
