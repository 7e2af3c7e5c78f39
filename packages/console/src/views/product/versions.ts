/** Largest of the four numbers of a version. */
const partLimit = 65_535;

/** The four numbers of a version, or undefined when the text is none. */
export function readVersion(text: string): readonly number[] | undefined {
  const match = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(text.trim());
  const parts = match?.slice(1).map(Number);
  return parts?.every((part) => part <= partLimit) ? parts : undefined;
}

/**
 * The version that the service gives to the next bundle: the highest one with its last number one higher.
 *
 * @param highest the highest version so far; undefined when there is no bundle yet
 */
export function nextVersion(highest: string | undefined): string | undefined {
  if (highest === undefined) return '0.0.0.1';
  const parts = readVersion(highest);
  if (!parts) return undefined;
  const last = parts.findLastIndex((part) => part < partLimit);
  if (last < 0) return undefined;
  return parts.map((part, i) => (i < last ? part : i === last ? part + 1 : 0)).join('.');
}
