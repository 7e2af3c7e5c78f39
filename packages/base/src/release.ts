/**
 * Gives the memory of bytes back that nobody uses any more. The garbage collector would: it sees a small object, lets
 * 64 MiB of them come together, and then walks through the whole heap, which costs more than all else that is done with
 * a file that passes through. Bytes that share their memory with others keep it; the others are empty afterwards.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.length > 0 && bytes.length === buffer.byteLength) buffer.transfer(0);
}
