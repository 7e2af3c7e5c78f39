import { Combobox, ScrollArea, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { routes } from '../../routes.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/search.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { typingMs } from '../../ui/search-box.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { type Hit, useFound } from './found.ts';

/** Views whose name, or another word for what they do, has the text in it. */
export function viewsFor(text: string, isAdmin: boolean): readonly Hit[] {
  const wanted = text.toLowerCase();
  const has = (word: string): boolean => word.toLowerCase().includes(wanted);
  return [
    ...routes
      .filter(({ icon, adminOnly }) => icon && (!adminOnly || isAdmin))
      .filter(
        ({ title, path }) => has(title) || (path === '/rollouts' && wanted !== '' && t.wordsForRollouts.some(has)),
      )
      .map(({ title, path }) => ({ label: title, href: path.replace(/\/:.*$/, '') || '/' })),
    ...(wanted !== '' && t.wordsForTags.some(has) ? [{ label: t.tagABundle, href: '/products' }] : []),
  ];
}

interface SearchProps {
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

/** Searches everything, and goes where a result leads. */
export default function Search({ isAdmin, onClose }: SearchProps) {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const [, navigate] = useLocation();
  const combobox = useCombobox({ opened: true });
  const found = useFound(q);
  const groups = [
    { label: t.views, hits: viewsFor(text.trim(), isAdmin) },
    { label: common.devices, hits: found.data?.devices ?? [] },
    { label: common.products, hits: found.data?.products ?? [] },
    { label: common.bundles, hits: found.data?.bundles ?? [] },
    { label: t.people, hits: found.data?.people ?? [] },
  ].filter(({ hits }) => hits.length > 0);
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0);
  // The first result is marked, so that Enter goes there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the results are others, although it reads none of them
  useEffect(() => void combobox.selectFirstOption(), [count, q, text]);
  const go = (href: string): void => {
    onClose();
    navigate(href);
  };
  return (
    <Dialog title={t.search} size="lg" opened onClose={onClose}>
      <Combobox store={combobox} onOptionSubmit={go}>
        <Combobox.EventsTarget>
          <TextInput
            aria-label={t.searchEverything}
            description={t.whatIsSearched}
            maxLength={200}
            {...bindText(text, setText)}
            data-autofocus
          />
        </Combobox.EventsTarget>
        <ScrollArea.Autosize mah={400} mt="sm" type="scroll">
          <Combobox.Options aria-label={t.results}>
            {groups.map(({ label, hits }) => (
              <Combobox.Group key={label} label={label}>
                {hits.map((hit) => (
                  <Combobox.Option key={`${label} ${hit.href} ${hit.label}`} value={hit.href}>
                    {hit.label}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox>
      <Text role="status" size="sm" c="dimmed">
        {q !== '' && count === 0 && !found.isFetching && t.nothingFound}
      </Text>
      {found.error && <ErrorBox error={found.error} />}
    </Dialog>
  );
}
