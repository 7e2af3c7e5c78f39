/** The languages that the console speaks, each under its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** Under what this browser keeps the language that its user has chosen. */
const chosenKey = 'moorage.language';

const isLanguage = (name: string | null): name is Language => name !== null && Object.hasOwn(languages, name);

const primary = (tag: string): string => tag.split('-')[0] ?? tag;

/** The language of the texts, and the tag by which dates and numbers are written: a Swiss browser has its own for German. */
export function settle(chosen: string | null, ofBrowser: readonly string[]): { language: Language; locale: string } {
  const language = isLanguage(chosen) ? chosen : (ofBrowser.map(primary).find(isLanguage) ?? 'en');
  return { language, locale: ofBrowser.find((tag) => primary(tag) === language) ?? language };
}

/** A browser that keeps nothing for pages refuses to be asked. */
function kept(): string | null {
  try {
    return localStorage.getItem(chosenKey);
  } catch {
    return null;
  }
}

/** What the user has chosen here; null while the browser's own languages decide. */
export const chosenLanguage: string | null = typeof document === 'undefined' ? null : kept();

export const { language, locale } = settle(
  chosenLanguage,
  typeof document === 'undefined' ? ['en-US'] : navigator.languages,
);

/** Speaks another language from now on; null follows the browser. The page begins anew: all tables of texts are read once. */
export function chooseLanguage(name: Language | null): void {
  if (name === null) localStorage.removeItem(chosenKey);
  else localStorage.setItem(chosenKey, name);
  window.location.reload();
}

/** Picks the language in use from a table of texts. Both stand side by side: one that is missing does not compile. */
export function texts<T extends object>(
  table: { readonly [K in keyof T]: readonly [en: T[K], de: NoInfer<T[K]>] },
): { readonly [K in keyof T]: T[K] } {
  const at = language === 'de' ? 1 : 0;
  const entries = Object.entries<readonly [unknown, unknown]>(table).map(([key, both]) => [key, both[at]]);
  // Safe: each entry is one of the two texts of its key.
  return Object.fromEntries(entries) as { readonly [K in keyof T]: T[K] };
}

const rules = new Intl.PluralRules(language);

/** A noun, as it is with one and with any other number. */
export interface Noun {
  readonly one: string;
  readonly other: string;
}

/** The form that a number asks for. */
export const formOf = <T>(count: number, forms: { readonly one: T; readonly other: T }): T =>
  forms[rules.select(count) === 'one' ? 'one' : 'other'];

/** A heading or label as it stands in the middle of a sentence: German nouns stay as they are. */
export const inSentence = (label: string): string => (language === 'de' ? label : label.toLowerCase());
