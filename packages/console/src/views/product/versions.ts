/** The four numbers of a version, or undefined when the text is none. */
export function readVersion(text: string): readonly number[] | undefined {
  return /^\d{1,15}(\.\d{1,15}){3}$/.test(text.trim()) ? text.trim().split('.').map(Number) : undefined;
}

/**
 * The version that the service gives to the next bundle: the highest one with its last number one higher.
 *
 * @param highest the highest version so far; undefined when there is no bundle yet
 */
export function nextVersion(highest: string | undefined): string | undefined {
  if (highest === undefined) return '0.0.0.1';
  const parts = readVersion(highest);
  return parts?.map((part, i) => (i < 3 ? part : part + 1)).join('.');
}
