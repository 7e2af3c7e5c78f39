import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import { t } from '../texts/ui.ts';
import { FoundSelect } from './found-select.tsx';

interface ProductSelectProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly required?: boolean;
  readonly hideLabel?: boolean;
  readonly width?: Record<string, string | number>;
  /** Only products of which production products can be made. */
  readonly development?: boolean;
}

/** A product, found by typing part of its title or code. */
export function ProductSelect(props: ProductSelectProps) {
  const { label, placeholder = label, value, required = false, width, development = false, ...select } = props;
  const [q, search] = useState('');
  const query = { limit: 20, ...(q !== '' && { q }), ...(development && { production: false }) };
  const found = useCall('products.list', { query }, { keepPrevious: true });
  const chosen = useCall('products.get', { params: { product_id: value ?? '' } }, { enabled: value !== null });
  const products = [...(chosen.data ? [chosen.data.value] : []), ...(found.data?.value ?? [])];
  return (
    <FoundSelect
      {...select}
      label={label}
      placeholder={placeholder}
      options={products.map(({ id, title, product }) => ({ value: id, label: `${title} (${product})` }))}
      onSearch={search}
      nothing={t.noSuchProduct}
      clearable={!required}
      required={required}
      value={value}
      {...(width && { w: width })}
    />
  );
}
