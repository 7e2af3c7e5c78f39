/** One block of a machine-mode answer. */
export interface Block {
  /** Letter and code: `R0`, `L0`. */
  readonly head: string;
  readonly payload: string;
}

/**
 * Walks blocks of `<T><c><LLLLL>` CR LF payload; every length has to lead to the next block. Throws where one does not.
 */
export function blocksOf(printed: string): readonly Block[] {
  const blocks: Block[] = [];
  let rest = printed;
  while (rest !== '') {
    const [whole = '', head = '', digits = ''] = /^([RLS]\d)(\d{5})\r\n/.exec(rest) ?? [];
    if (whole === '') throw new Error(`There is no header at ${JSON.stringify(rest.slice(0, 80))}`);
    const payload = rest.slice(whole.length, whole.length + Number(digits));
    if (payload.length < Number(digits)) throw new Error(`The payload of ${whole.trim()} is too short`);
    if (payload !== '' && !payload.endsWith('\r\n')) throw new Error(`The payload of ${whole.trim()} has no line end`);
    blocks.push({ head, payload });
    rest = rest.slice(whole.length + payload.length);
  }
  return blocks;
}
