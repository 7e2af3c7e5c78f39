/** Parts that every dashboard may have, in the order in which a new one shows them. */
export const parts = ['steps', 'fleet', 'updates', 'map', 'log'] as const;
type Part = (typeof parts)[number];

/** A part of the dashboard, or a stream of a device. */
export type Tile =
  | { readonly part: Part; readonly hidden?: boolean }
  | { readonly device: string; readonly stream: string; readonly hidden?: boolean };

/** Tiles of a dashboard: each stream is a connection to its device's events and a chart. */
export const tilesLimit = 24;

export const keyOfTile = (tile: Tile): string => ('part' in tile ? tile.part : `${tile.device} ${tile.stream}`);

function tileOf(value: unknown): Tile | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const hidden = 'hidden' in value && value.hidden === true && { hidden: true };
  const part = 'part' in value && parts.find((one) => one === value.part);
  if (part) return { part, ...hidden };
  const isStream =
    'device' in value && typeof value.device === 'string' && 'stream' in value && typeof value.stream === 'string';
  return isStream ? { device: value.device as string, stream: value.stream as string, ...hidden } : undefined;
}

/** What the service has kept; parts that are newer than that stand at the end, and what is not understood is left out. */
export function readLayout(text: string | undefined): readonly Tile[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    kept = [];
  }
  const known = (Array.isArray(kept) ? kept : []).flatMap((value) => tileOf(value) ?? []).slice(0, tilesLimit);
  const tiles = new Map(known.map((tile) => [keyOfTile(tile), tile]));
  for (const part of parts) if (!tiles.has(part)) tiles.set(part, { part });
  return [...tiles.values()];
}

export const writeLayout = (tiles: readonly Tile[]): string => JSON.stringify(tiles);

/** The tiles with one of them a place further up (-1) or down (1); at the end it stays where it is. */
export function moved(tiles: readonly Tile[], at: number, by: -1 | 1): readonly Tile[] {
  const [tile, other] = [tiles[at], tiles[at + by]];
  if (!tile || !other) return tiles;
  return tiles.with(at, other).with(at + by, tile);
}

/** The tiles with a stream as the first one; one that is there already is shown again. */
export function withStream(tiles: readonly Tile[], device: string, stream: string): readonly Tile[] {
  const tile = { device, stream };
  return [tile, ...tiles.filter((one) => keyOfTile(one) !== keyOfTile(tile))].slice(0, tilesLimit);
}
