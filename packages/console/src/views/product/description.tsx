import { Typography } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/product.ts';
import { Muted } from '../../ui/muted.tsx';
import { Loaded } from '../../ui/states.tsx';

/** HTML that the service has made of a Markdown text. */
export function Html({ bytes }: { readonly bytes: Uint8Array }) {
  return (
    <Typography style={{ overflowWrap: 'anywhere' }}>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the service lets no HTML of the author through */}
      <div dangerouslySetInnerHTML={{ __html: new TextDecoder().decode(bytes) }} />
    </Typography>
  );
}

/** The description as visitors see it. */
export function Description({ product }: { readonly product: ProductRecord }) {
  const { id, description } = product;
  const query = useCall('products.description', { params: { product_id: id } }, { keepPrevious: true });
  if (description.trim() === '') return <Muted>{t.thereIsNoDescriptionYet}</Muted>;
  return <Loaded query={query}>{({ value }) => <Html bytes={value} />}</Loaded>;
}
