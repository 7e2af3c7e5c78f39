import type { Setting } from './config.ts';
import { anyText, matching } from './setting-texts.ts';

/** What the console's maps show behind the devices. */
export interface MapSettings {
  /** Address of a picture of the map, with `{z}`, `{x}` and `{y}`; browsers ask no other machine without it. */
  readonly mapTiles: string | undefined;
  /** Whose pictures they are, as their owner wants it said. */
  readonly mapAttribution: string | undefined;
}

export const mapSettings: readonly Setting[] = [
  {
    name: 'mapTiles',
    flag: 'map-tiles',
    placeholder: 'URL',
    help: "pictures of the console's maps: https://tiles.example/{z}/{x}/{y}.png; coast lines of its own without it",
    parse: matching(
      /^https?:\/\/[^@/\s?#{}]+\/(?=\S*\{z\})(?=\S*\{x\})(?=\S*\{y\})\S+$/,
      'an http or https address with {z}, {x} and {y}',
    ),
    // Every browser gets it, with the key of an account in it, too.
    secret: false,
  },
  {
    name: 'mapAttribution',
    flag: 'map-attribution',
    placeholder: 'TEXT',
    help: 'whose pictures the maps show',
    parse: anyText,
  },
];
