import { Select } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/fleet.ts';
import type { Draft } from './draft.ts';
import { waysOf } from './ways.ts';

/** A part of the guided start. */
export interface PartProps {
  readonly form: UseFormReturnType<Draft>;
}

/** Where the settings come from; the product's own where it says something. */
export function Way({ form }: PartProps) {
  const { productId, way } = form.values;
  const ofProduct = useCall(
    'rollouts.fleetSettings',
    { params: { product_id: productId ?? '' } },
    { enabled: productId !== null },
  );
  const { template = null, settings = null } = ofProduct.data?.value ?? {};
  const ways = waysOf(template !== null || settings !== null);
  return (
    <Select
      label={t.settings}
      description={ways.find((row) => row.way === way)?.does}
      data={ways.map((row) => ({ value: row.way, label: row.title }))}
      allowDeselect={false}
      {...form.getInputProps('way')}
    />
  );
}
