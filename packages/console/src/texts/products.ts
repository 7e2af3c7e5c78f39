import { texts } from './language.ts';

export const t = texts({
  newer: [(version: string) => `newest: ${version}`, (version: string) => `neueste: ${version}`],
  productIsForOneKind: [
    (part: string) => `A product is for one kind of hardware, its platform. ${part}`,
    (part: string) => `Ein Produkt gehört zu einer Art Hardware, seiner Plattform. ${part}`,
  ],
  thereIsNoPlatformYet: ['There is no platform yet', 'Es gibt noch keine Plattform'],
  toPlatforms: ['To the platforms', 'Zu den Plattformen'],
  addPlatformFirstWithFlavor: [
    'Add the platform first, with a flavor and its firmware.',
    'Zuerst die Plattform anlegen, mit einer Edition und ihrer Firmware.',
  ],
  administratorHasToAddOne: ['An administrator has to add one first.', 'Zuerst muss die Verwaltung eine anlegen.'],
  productIsMade: [
    (product: string) => `Product ${product} is made`,
    (product: string) => `Produkt ${product} ist erstellt`,
  ],
  createProduct: ['Create the product', 'Produkt erstellen'],
  devicesNameProductThisNever: [
    (fullCode: string) => `Devices name the product ${fullCode}; this never changes`,
    (fullCode: string) => `Geräte nennen das Produkt ${fullCode}; das ändert sich nie`,
  ],
  lettersDigitsAndItNever: [
    'Letters, digits, "_", "." and "-"; it never changes',
    'Buchstaben, Ziffern, „_“, „.“ und „-“; er ändert sich nie',
  ],
  onlyLettersDigitsAndUp: [
    'Only letters, digits, "_", "." and "-", up to 64 of them',
    'Nur Buchstaben, Ziffern, „_“, „.“ und „-“, bis zu 64 davon',
  ],
  hardwareThatItRunsOn: [
    'The hardware that it runs on; it never changes',
    'Die Hardware, auf der es läuft; sie ändert sich nie',
  ],
  kindOfFirmwareWithoutChoice: [
    'The kind of firmware; without a choice the base edition',
    'Die Art der Firmware; ohne Auswahl die Basis-Edition',
  ],
  createAProduct: ['Create a product', 'Ein Produkt erstellen'],
  myRole: ['My role', 'Meine Rolle'],
  mine: ['Mine', 'Meine'],
  managedByMe: ['Managed by me', 'Von mir betreut'],
  publishedStore: ['Published (store)', 'Veröffentlicht (Store)'],
  editions: ['Editions', 'Editionen'],
  manager: ['Manager', 'Betreuung'],
  anyRole: ['Any role', 'Jede Rolle'],
  development: ['Development', 'Entwicklung'],
  production: ['Production', 'Produktion'],
  searchProducts: ['Search products', 'Produkte suchen'],
  titleOrCode: ['Title or code', 'Titel oder Code'],
  category: ['Category', 'Kategorie'],
  madeFor: ['Made for', 'Gemacht für'],
  noProductFitsFilters: ['No product fits the filters', 'Kein Produkt passt zu den Filtern'],
  productIsWhatDevicesOf: [
    'A product is what devices of one model share: their firmware, their files, and the versions they are updated to.',
    'Ein Produkt ist, was Geräte eines Modells gemeinsam haben: ihre Firmware, ihre Dateien und die Versionen, auf die sie aktualisiert werden.',
  ],
  noProductsYet: ['No products yet', 'Noch keine Produkte'],
  whatDevicesOfOneModel: [
    'What devices of one model share: firmware, files, versions. Yours, those you work on, and what others have published.',
    'Was Geräte eines Modells gemeinsam haben: Firmware, Dateien, Versionen. Deine, die du betreust, und von anderen veröffentlichte.',
  ],
});
