import { codePart, unwrap } from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changePresence,
  changePublication,
  fitsProduct,
  matchProductCode,
  type Presence,
  type Publication,
  productCodes,
  publicationTransitions,
  tagOfRank,
  tagRank,
  visibleState,
} from './rules.ts';

const publications: readonly Publication[] = ['preview', 'published', 'archive'];
const flags = [0, 1] as const;

describe('publication of a product', () => {
  const cases = publications.flatMap((publication) =>
    flags.flatMap((trashed) => (['published', 'archive'] as const).map((wanted) => ({ publication, trashed, wanted }))),
  );
  // API-STATE-product-preview-published, API-STATE-product-archive-published, API-STATE-product-preview-archive,
  // API-STATE-product-published-archive
  it.each(cases)('$publication (trashed $trashed) asked for $wanted', ({ publication, trashed, wanted }) => {
    const outcome = changePublication({ publication, trashed }, wanted);
    if (trashed) expect(outcome).toMatchObject({ ok: false, error: { code: 'ILLEGAL_TRANSITION' } });
    else expect(outcome).toEqual({ ok: true, value: publication === wanted ? undefined : wanted });
  });

  it('starts as preview (API-STATE-product-none-preview)', () => {
    expect(publicationTransitions[0]).toEqual({ from: 'none', trigger: 'create', to: 'preview' });
  });

  it('never goes back to preview', () => {
    expect(publicationTransitions.filter(({ from, to }) => from !== 'none' && to === 'preview')).toEqual([]);
  });
});

describe('presence of a product', () => {
  const triggers: readonly (Presence | 'delete')[] = ['active', 'trash', 'delete'];
  const cases = publications.flatMap((publication) =>
    flags.flatMap((trashed) =>
      triggers.flatMap((wanted) =>
        [0, 2].flatMap((deviceCount) =>
          [false, true].map((baseEdition) => ({ publication, trashed, wanted, deviceCount, baseEdition })),
        ),
      ),
    ),
  );

  // API-STATE-product-any-trash, API-STATE-product-trash-active
  it.each(cases)(
    '$publication (trashed $trashed, $deviceCount devices, base $baseEdition) asked for $wanted',
    ({ wanted, ...standing }) => {
      const outcome = changePresence({ product: 'A-B_C', ...standing }, wanted);
      const from = standing.trashed ? 'trash' : 'active';
      if (wanted === from) expect(outcome).toEqual({ ok: true, value: undefined });
      else if (wanted === 'active') expect(outcome).toEqual({ ok: true, value: 'active' });
      else if (standing.deviceCount > 0 || standing.baseEdition) {
        expect(outcome).toMatchObject({ ok: false, error: { code: 'PRODUCT_IN_USE' } });
      } else expect(outcome).toEqual({ ok: true, value: wanted === 'delete' ? 'gone' : 'trash' });
    },
  );

  it.each(publications)('comes back from trash as %s', (publication) => {
    expect(visibleState({ publication, trashed: 1 })).toBe('trash');
    expect(visibleState({ publication, trashed: 0 })).toBe(publication);
  });

  it('refusal counts the devices', () => {
    const standing = { product: 'A-B_C', publication: 'preview', trashed: 0, baseEdition: false } as const;
    const messages = [1, 2].map((deviceCount) => {
      const outcome = changePresence({ ...standing, deviceCount }, 'trash');
      return outcome.ok ? '' : outcome.error.message;
    });
    expect(messages).toEqual([
      'Product "A-B_C" is in use: 1 activated device',
      'Product "A-B_C" is in use: 2 activated devices',
    ]);
  });
});

describe('code of a product (API-RULE-product-3)', () => {
  it.each([
    ['acme', 'BRT106', 'demo', 'DEMO', 'ACME-BRT106_DEMO'],
    ['acme', 'BRT106', 'BRT106_demo', 'BRT106_DEMO', 'ACME-BRT106_DEMO'],
    ['acme', 'brt106', 'Brt106_Demo', 'BRT106_DEMO', 'ACME-BRT106_DEMO'],
    ['acme', 'BRT106', 'BRT106X', 'BRT106X', 'ACME-BRT106_BRT106X'],
    ['j.d+x@mail', 'SOFT', 'a-b.c_1', 'A-B.C_1', 'J.D_X_MAIL-SOFT_A-B.C_1'],
  ])('of %s on %s named %s', (owner, platform, sent, code, product) => {
    expect(productCodes(owner, platform, sent)).toEqual({ code, product });
  });

  it('holds only the allowed characters, whatever the owner is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (owner) => {
        expect(codePart(owner)).toMatch(/^[A-Z0-9_.-]*$/);
      }),
    );
  });

  const candidates = [
    { code: 'DEMO', product: 'ACME-BRT106_DEMO', id: 1 },
    { code: 'DEMO', product: 'OTHER-BRT106_DEMO', id: 2 },
    { code: 'LAMP', product: 'ACME-BRT106_LAMP', id: 3 },
    { code: 'ACME-BRT106_LAMP', product: 'X-BRT106_ACME-BRT106_LAMP', id: 4 },
  ];
  it.each([
    ['ACME-BRT106_DEMO', 1],
    ['other-brt106_demo', 2],
    ['LAMP', 3],
    ['lamp', 3],
    ['DEMO', undefined],
    ['NONE', undefined],
    ['ACME-BRT106_LAMP', 3],
  ])('%s names product %s', (text, id) => {
    expect(matchProductCode(candidates, codePart(text))?.id).toBe(id);
  });

  it.each([
    ['the one that is nearer', { 1: 1, 2: 0 }, 2],
    ['none of two that are as near', { 1: 0, 2: 0 }, undefined],
  ] as const)('of two products with the short code it is %s', (_, distances, id) => {
    const distance = (one: { id: number }) => ({ 3: 9, 4: 9, ...distances })[one.id as 1 | 2 | 3 | 4];
    expect(matchProductCode(candidates, 'DEMO', distance)?.id).toBe(id);
  });
});

it('rank of a tag goes from none to release and back', () => {
  expect(([null, 'alpha', 'beta', 'release'] as const).map(tagRank)).toEqual([0, 1, 2, 3]);
  expect([0, 1, 2, 3, 4].map(tagOfRank)).toEqual([null, 'alpha', 'beta', 'release', null]);
});

it.each([
  { flavor_id: 'w', firmware: { platform_id: 'p', flavor_id: 'w' }, fits: true },
  { flavor_id: null, firmware: { platform_id: 'p', flavor_id: 'wz' }, fits: true },
  { flavor_id: 'w', firmware: { platform_id: 'p', flavor_id: 'wz' }, fits: false },
  { flavor_id: 'w', firmware: { platform_id: 'q', flavor_id: 'w' }, fits: false },
  { flavor_id: null, firmware: { platform_id: 'q', flavor_id: 'w' }, fits: false },
])('firmware fits a product by platform and flavor: $fits', ({ flavor_id, firmware, fits }) => {
  expect(fitsProduct({ platform_id: 'p', flavor_id }, firmware)).toBe(fits);
});

it('publication asked for twice changes nothing the second time', () => {
  expect(unwrap(changePublication({ publication: 'published', trashed: 0 }, 'published'))).toBeUndefined();
});
