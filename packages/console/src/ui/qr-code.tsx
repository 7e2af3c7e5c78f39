import { encode } from 'uqr';

interface QrCodeProps {
  /** What a camera reads. */
  readonly text: string;
  /** What it is, for those who do not see it. */
  readonly label: string;
  /** Its side, in pixels; that of its frame without it. */
  readonly size?: number;
}

/** A text for the camera of a phone: black on white in either colour scheme. */
export function QrCode({ text, label, size: side }: QrCodeProps) {
  const { data, size } = encode(text, { border: 2 });
  const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges" width={side}>
      {side !== undefined && <rect width={size} height={size} fill="white" />}
      <path d={cells.join('')} />
    </svg>
  );
}
