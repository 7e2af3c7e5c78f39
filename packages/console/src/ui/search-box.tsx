import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { t } from '../texts/ui.ts';
import { bindText } from './bind-text.ts';

/** Letters that are typed together are one search, in ms. */
export const typingMs = 200;

interface SearchBoxProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A box for a text to search for; it searches while one types. */
export function SearchBox({ label, placeholder, value = '', onChange }: SearchBoxProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const search = useDebouncedCallback((next: string) => onChange(next === '' ? undefined : next), typingMs);
  const set = (next: string): void => {
    setText(next);
    search(next);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={200}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={t.clearSearch} onClick={() => set('')} />}
      {...bindText(text, set)}
      flex="1 1 220px"
      maw={420}
    />
  );
}
