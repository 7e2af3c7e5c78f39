import { texts } from './language.ts';

/** The search of everything, and the keys that lead to views. */
export const t = texts({
  search: ['Search', 'Suche'],
  searchEverything: ['Search everything', 'Alles durchsuchen'],
  whatIsSearched: [
    'Views, devices, products, bundles by version, people of products',
    'Ansichten, Geräte, Produkte, Bundles nach Version, Personen von Produkten',
  ],
  results: ['Results', 'Ergebnisse'],
  views: ['Views', 'Ansichten'],
  people: ['People', 'Personen'],
  nothingFound: ['Nothing found', 'Nichts gefunden'],
  allOf: [(counted: string) => `All ${counted} …`, (counted: string) => `Alle ${counted} …`],
  personOf: [
    (user: string, product: string) => `${user}, of ${product}`,
    (user: string, product: string) => `${user}, bei ${product}`,
  ],
  bundleOf: [
    (version: string, product: string) => `${version} of ${product}`,
    (version: string, product: string) => `${version} von ${product}`,
  ],
  tagABundle: [
    'Give a bundle a tag, on the page of its product',
    'Einem Bundle ein Tag geben, auf der Seite seines Produkts',
  ],
  keys: ['Keys', 'Tasten'],
  showKeys: ['Show these keys', 'Diese Tasten zeigen'],
  key: ['Key', 'Taste'],
  leadsTo: ['Leads to', 'Führt zu'],
  wordsForRollouts: [
    ['deploy', 'roll out', 'rollout', 'release', 'ship', 'update'],
    ['deploy', 'ausrollen', 'verteilen', 'bereitstellen', 'rollout', 'release', 'update', 'roll out'],
  ],
  wordsForTags: [
    ['deploy', 'roll out', 'release', 'tag', 'publish'],
    ['deploy', 'ausrollen', 'verteilen', 'bereitstellen', 'release', 'tag', 'taggen', 'veröffentlichen', 'roll out'],
  ],
});
