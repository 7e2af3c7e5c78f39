export const fileNames: readonly string[] = ['a.txt', 'webapp/index.html', 'PICTURE.JPEG', 'b c', 'n'.repeat(95)];

/** What the writer puts into a file in a round: from 1 byte to about 40 KB, all bytes following from name and round. */
export function contentOf(name: string, round: number): Uint8Array {
  const size = 1 + ((round * 7919 + name.length) % 40_000);
  return Uint8Array.from({ length: size }, (_, index) => index * 31 + round + name.length);
}
