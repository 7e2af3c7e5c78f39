/** A value as a filter of devices takes it: in quotes where a character of it would mean something. */
export const quoted = (value: string): string =>
  /^[A-Za-z0-9_.:*+@-]+$/.test(value) ? value : `'${value.replace(/[\\']/g, '\\$&')}'`;
