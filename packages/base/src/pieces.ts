/** Pieces of one chunk of a socket lie side by side: they are one again without a copy. The order stays. */
export function merged(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  if (pieces.length < 2) return pieces;
  const whole: Uint8Array[] = [];
  let last: Uint8Array | undefined;
  for (const piece of pieces) {
    if (last && piece.buffer === last.buffer && piece.byteOffset === last.byteOffset + last.length) {
      last = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length);
      whole[whole.length - 1] = last;
    } else {
      last = piece;
      whole.push(piece);
    }
  }
  return whole;
}
