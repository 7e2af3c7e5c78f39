import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { bindText } from './bind-text.ts';
import type { ListAddress } from './use-list.ts';

/** A filter by a text that is typed; it is set when the text is whole. */
export function TextFilter({
  list,
  name,
  label,
  wide = false,
}: {
  readonly list: ListAddress;
  readonly name: string;
  readonly label: string;
  /** Its label is long. */
  readonly wide?: boolean;
}) {
  const kept = list.filters[name] ?? '';
  const [text, setText] = useState(kept);
  useEffect(() => setText(kept), [kept]);
  const set = (): void => {
    if (text !== kept) list.setFilter(name, text === '' ? undefined : text);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      {...bindText(text, setText)}
      onBlur={set}
      onKeyDown={(event) => {
        if (event.key === 'Enter') set();
      }}
      w={{ base: wide ? '100%' : 'calc(50% - 6px)', sm: wide ? 220 : 150 }}
    />
  );
}
