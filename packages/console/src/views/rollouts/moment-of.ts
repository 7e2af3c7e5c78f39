/** The moment of a `datetime-local` input in the zone of the browser, epoch ms; `undefined` for none. */
export function momentOf(text: string): number | undefined {
  const ms = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}
