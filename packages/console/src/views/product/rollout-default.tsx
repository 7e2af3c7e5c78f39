import { Select } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/fleet.ts';
import { Card } from '../../ui/card.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';
import { templateRows } from '../rollouts/ways.ts';

/** Stands for no template in the list of them, and for settings that a program has set. */
const others = { without: 'none', own: 'own' } as const;

/** The ready settings of rollouts that name none. */
export function RolloutDefault({ product }: { readonly product: ProductRecord }) {
  const params = { product_id: product.id };
  const fleet = useCall('rollouts.fleetSettings', { params });
  const change = useChange('rollouts.setFleetSettings', 'rollouts');
  const set = async (chosen: string | null): Promise<void> => {
    const template = templateRows.find(({ way }) => way === chosen)?.way ?? null;
    await change.mutateAsync({ params, body: { template, settings: null } });
    notify(t.defaultIsSet);
  };
  return (
    <Card title={t.defaultOfRollouts}>
      <Loaded query={fleet}>
        {({ value: { template, settings } }) => (
          <Select
            label={t.settings}
            description={templateRows.find(({ way }) => way === template)?.does ?? t.rolloutsThatNameNone}
            data={[
              { value: others.without, label: t.noTemplate },
              ...(settings === null ? [] : [{ value: others.own, label: t.ownOnes }]),
              ...templateRows.map(({ way, title }) => ({ value: way, label: title })),
            ]}
            allowDeselect={false}
            disabled={change.isPending}
            value={template ?? (settings === null ? others.without : others.own)}
            onChange={(chosen) => chosen !== others.own && void set(chosen).catch(notifyError)}
          />
        )}
      </Loaded>
    </Card>
  );
}
