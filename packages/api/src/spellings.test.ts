import { describe, expect, it } from 'vitest';
import { type Spelling, spellings } from './spellings.ts';

const uuid = '200f6c1e5d0f4f0b9d550a4f7a7f4b1e01020304';
const id = '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e';

describe('spelling of records', () => {
  it.each<[Spelling, string, string]>([
    ['id', id.toUpperCase(), id],
    ['id', uuid.toUpperCase(), uuid],
    ['mac', '4c-55-cc-10-78-9b', '4C:55:CC:10:78:9B'],
    ['mac', '4c55.cc10.789b', '4C:55:CC:10:78:9B'],
    ['mac', '4c55cc10789b', '4C:55:CC:10:78:9B'],
    ['mac', 'nothing', 'nothing'],
    ['device', id.toUpperCase(), id],
    ['device', uuid.toUpperCase(), uuid],
    ['device', '4c55cc10789b', '4C:55:CC:10:78:9B'],
    ['device', 'Any Text', 'Any Text'],
    ['code', 'brt106_v2', 'BRT106_V2'],
    ['code', 'acme inc-x', 'ACME_INC-X'],
  ])('as %s "%s" is "%s", which stays as it is', (spelling, sent, kept) => {
    const spell = spellings[spelling];
    expect(spell(sent)).toBe(kept);
    expect(spell(kept)).toBe(kept);
  });
});
