const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

/**
 * What devices say, as it is taken: without the character NUL, which no record can hold. A device goes on sending what is
 * refused, so nothing is refused for it. Bytes stay as they are. It may be nested deeper than calls can be.
 * Spec: API-RULE-device-texts-1.
 *
 * @param said a value of JSON or MessagePack, which is changed
 */
export function deviceTexts<Said extends object>(said: Said): Said {
  const open: object[] = [said];
  for (let one = open.pop(); one; one = open.pop()) {
    if (one instanceof Uint8Array) continue;
    // Safe: what is left of JSON and MessagePack are lists and dictionaries.
    const fields = one as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'object' && value !== null) open.push(value);
      const plain = withoutNul(name);
      if (plain !== name) delete fields[name];
      // The parsers refuse this name, and would not have known it.
      if (plain === '__proto__') continue;
      if (plain !== name || typeof value === 'string')
        fields[plain] = typeof value === 'string' ? withoutNul(value) : value;
    }
  }
  return said;
}
