import { Select } from '@mantine/core';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/fleet.ts';
import type { Draft } from './draft.ts';
import { waysOf } from './ways.ts';

/** A part of the guided start. */
export interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

/** Where the settings come from; the product's own where it says something. */
export function Way({ draft, set }: PartProps) {
  const { productId, way } = draft;
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
      value={way}
      onChange={(next) => set({ way: ways.find((row) => row.way === next)?.way ?? 'own' })}
    />
  );
}
