const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * A part of a text as it may stand in a text of which a database has made lower case: SQLite, and PostgreSQL without a
 * language, know no other letters than those of ASCII. One spelling, where the part has no others.
 */
export const spellingsOf = (part: string): readonly string[] => [
  ...new Set([part.toLowerCase(), lowerAscii(part), lowerAscii(part.toUpperCase())]),
];
