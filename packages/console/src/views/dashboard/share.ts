/** A part of a whole in per cent, whole numbers: never 0 % of something, nor 100 % while something is missing. */
export function shareText(part: number, whole: number): string {
  const share = Math.round((100 * part) / whole);
  if (part > 0 && share === 0) return '< 1 %';
  if (part < whole && share === 100) return '> 99 %';
  return `${share} %`;
}
