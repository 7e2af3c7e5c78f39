import type { BundleRecord, ProductRecord, ProductUserRecord } from '@moorage/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/search.ts';

/** Something that the search leads to. */
export interface Hit {
  readonly label: string;
  readonly href: string;
}

/** What the service has of a text, by kind. */
export interface Found {
  readonly devices: readonly Hit[];
  readonly products: readonly Hit[];
  readonly bundles: readonly Hit[];
  readonly people: readonly Hit[];
}

/** Hits of each kind that are shown, and products whose bundles and people are looked through. */
const shownHits = 6;
const searchedProducts = 10;

/** The parts of a search: a version at its end, and the text before it, which names a product. */
export function partsOf(text: string): { readonly words: string; readonly version: string | undefined } {
  const [, words = '', version] = /^(.*?)\s*(\d+(?:\.\d*){1,3})$/.exec(text) ?? [undefined, text];
  return { words, version };
}

const bundlesOf = (product: ProductRecord, bundles: readonly BundleRecord[], version: string): Hit[] =>
  bundles
    .filter((bundle) => bundle.version.startsWith(version))
    .map(({ id, version: own }) => ({ label: t.bundleOf(own, product.title), href: `/bundles/${id}` }));

const peopleOf = (product: ProductRecord, people: readonly ProductUserRecord[], text: string): Hit[] =>
  people
    .filter(({ user, name_given, name_family }) =>
      [user, name_given, name_family].some((name) => name.toLowerCase().includes(text.toLowerCase())),
    )
    .map(({ user }) => ({ label: t.personOf(user, product.title), href: `/products/${product.id}/users` }));

/** The hits that are shown, and the way to the list of all when there are more. */
export const withAll = (hits: readonly Hit[], total: number, all: Hit): readonly Hit[] =>
  total > hits.length ? [...hits, all] : hits;

async function searchFor(q: string, signal: AbortSignal): Promise<Found> {
  const { words, version } = partsOf(q);
  const limit = shownHits;
  const mine = { role: 'any', limit: searchedProducts } as const;
  const [devices, products, own] = await Promise.all([
    call('devices.list', { query: { q, limit } }, signal),
    call('products.list', { query: { q, limit } }, signal),
    call('products.list', { query: { ...mine, ...(version !== undefined && words !== '' && { q: words }) } }, signal),
  ]);
  const inside = await Promise.all(
    own.value.map(async (product) => {
      const params = { product_id: product.id };
      const [bundles, people] = await Promise.all([
        version === undefined ? undefined : call('bundles.list', { params, query: { limit: 100 } }, signal),
        version === undefined ? call('productPeople.list', { params, query: { limit: 100 } }, signal) : undefined,
      ]);
      return {
        bundles: bundlesOf(product, bundles?.value ?? [], version ?? ''),
        people: peopleOf(product, people?.value ?? [], q),
      };
    }),
  );
  return {
    devices: withAll(
      devices.value.map(({ id, title, uuid }) => ({ label: title || uuid, href: `/devices/${id}` })),
      devices.total ?? 0,
      { label: t.allOf(plural(devices.total ?? 0, nouns.device)), href: `/devices?q=${encodeURIComponent(q)}` },
    ),
    products: withAll(
      products.value.map(({ id, title }) => ({ label: title, href: `/products/${id}` })),
      products.total ?? 0,
      { label: t.allOf(plural(products.total ?? 0, nouns.product)), href: `/products?q=${encodeURIComponent(q)}` },
    ),
    bundles: inside.flatMap(({ bundles }) => bundles).slice(0, limit),
    people: inside.flatMap(({ people }) => people).slice(0, limit),
  };
}

/** What the service has of a text; nothing is asked for without one. */
export const useFound = (q: string) =>
  useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => searchFor(q, signal),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
