/** The address of a page of a device, at whatever name its service had when the label was printed. */
const pagePattern = /^https?:\/\/[^/]+\/devices\/([^/?#]+)/;

/** An id, a hardware uuid, or a MAC address in any usual spelling. */
const namePattern =
  /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{2}([:-]?[0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2})$/i;

/** What the text of a code names a device by: that of our label sheets, or what a maker prints; undefined for others. */
export function deviceIn(text: string): string | undefined {
  const name = pagePattern.exec(text.trim())?.[1] ?? text.trim();
  return namePattern.test(name) ? name : undefined;
}
