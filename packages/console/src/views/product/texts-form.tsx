import { Button, Tabs, Textarea, TextInput } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useEdit } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/product.ts';
import { Card } from '../../ui/card.tsx';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';
import { Html } from './description.tsx';

const fields = ['title', 'summary', 'description', 'meta'] as const;
type Texts = Pick<ProductRecord, (typeof fields)[number]>;

/** The texts as they are typed; untouched texts follow the record, also while others change it. */
function useTexts(product: ProductRecord) {
  const [edits, setEdits] = useState<Partial<Texts>>({});
  const texts = Object.fromEntries(fields.map((field) => [field, edits[field] ?? product[field]])) as Texts;
  const changed = fields.filter((field) => texts[field] !== product[field]);
  return {
    texts,
    changes: Object.fromEntries(changed.map((field) => [field, texts[field]])) as Partial<Texts>,
    dirty: changed.length > 0,
    set: (field: keyof Texts) => (event: { readonly currentTarget: { readonly value: string } }) => {
      const { value } = event.currentTarget;
      setEdits((old) => ({ ...old, [field]: value }));
    },
    reset: () => setEdits({}),
  };
}

function Preview({ text }: { readonly text: string }) {
  const query = useQuery({
    queryKey: ['products', 'preview', text],
    queryFn: ({ signal }) => call('products.preview', { body: { text } }, signal),
    // Of every letter typed another answer: none is worth keeping.
    gcTime: 0,
  });
  if (text.trim() === '') return <Muted>{t.thereIsNothingToShow}</Muted>;
  return <Loaded query={query}>{({ value }) => <Html bytes={value} />}</Loaded>;
}

interface MarkdownInputProps {
  readonly value: string;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
}

/** A text in Markdown, and what it will look like: made by the service, before anything is saved. */
const MarkdownInput = ({ value, onChange }: MarkdownInputProps) => (
  <Tabs defaultValue="write" keepMounted={false} variant="outline">
    <Tabs.List aria-label={common.description}>
      <Tabs.Tab value="write">{common.description}</Tabs.Tab>
      <Tabs.Tab value="preview">{t.preview}</Tabs.Tab>
    </Tabs.List>
    <Tabs.Panel value="write" pt="xs">
      <Textarea
        aria-label={common.description}
        description={t.markdownLinksToWebAnd}
        autosize
        minRows={6}
        maxRows={24}
        maxLength={65_536}
        value={value}
        onChange={onChange}
      />
    </Tabs.Panel>
    <Tabs.Panel value="preview" pt="sm" mih={120}>
      <Preview text={value} />
    </Tabs.Panel>
  </Tabs>
);

/** The texts of a product, to be changed. */
export function TextsForm({ product }: { readonly product: ProductRecord }) {
  const { texts, changes, dirty, set, reset } = useTexts(product);
  const update = useEdit('products.update', ['products.get', { params: { product_id: product.id } }], {
    isTouched: dirty,
  });
  const save = async (): Promise<void> => {
    await update({ params: { product_id: product.id }, body: { code: product.code, ...changes } });
    reset();
    notify(t.textsAreSaved);
  };
  return (
    <Card title={t.texts}>
      <Form
        submit={t.saveTexts}
        disabled={!dirty || texts.title.trim() === ''}
        dirty={dirty}
        onSubmit={save}
        more={
          dirty && (
            <Button variant="default" onClick={reset}>
              {t.discardChanges}
            </Button>
          )
        }
      >
        <TextInput label={common.title} required maxLength={128} value={texts.title} onChange={set('title')} />
        <TextInput
          label={t.summary}
          description={t.oneLineForListsAnd}
          maxLength={256}
          value={texts.summary}
          onChange={set('summary')}
        />
        <MarkdownInput value={texts.description} onChange={set('description')} />
        <TextInput
          label={t.meta}
          description={t.anythingForProgramsOfYour}
          maxLength={4096}
          value={texts.meta}
          onChange={set('meta')}
        />
      </Form>
    </Card>
  );
}
