import { Progress, Table, Text } from '@mantine/core';
import type { QuotaRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { formatCount, formatSize } from '../../texts/format.ts';
import { Card } from '../../ui/card.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Loaded } from '../../ui/states.tsx';

const titles: Readonly<Record<QuotaRecord['name'], string>> = {
  devices: common.devices,
  products: common.products,
  bundles: t.bundlesOfYourProducts,
  connectors: t.connectorsOfYourProducts,
  bytes: t.filesAndBundles,
  requests_per_minute: t.requestsInMinute,
};

const inWords = ({ name }: QuotaRecord, value: number | null, otherwise: string): string => {
  if (value === null) return otherwise;
  return name === 'bytes' ? formatSize(value) : formatCount(value);
};

function Row({ quota }: { readonly quota: QuotaRecord }) {
  const { name, used, limit } = quota;
  const share = used !== null && limit !== null ? Math.min(100, (used / limit) * 100) : undefined;
  const title = titles[name];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {title}
      </Table.Th>
      <Table.Td>{inWords(quota, used, '—')}</Table.Td>
      <Table.Td>{inWords(quota, limit, t.anyNumber)}</Table.Td>
      <Table.Td visibleFrom="sm" w={160}>
        {share !== undefined && (
          <Progress value={share} color={share >= 90 ? 'red' : 'blue'} aria-label={t.shareThatIsUsed(title)} />
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** What the account has and may have. */
export function Quotas() {
  const query = useCall('users.quotas', {});
  return (
    <Card title={t.quotas}>
      <Text size="sm" mb="sm">
        {t.whatYouHaveAndWhat}
      </Text>
      <Loaded query={query}>
        {({ value }) => (
          <SmallTable
            label={t.quotas}
            fits
            columns={[t.of, t.youHave, t.youMayHave, { title: t.used, from: 'sm' }]}
            verticalSpacing="xs"
          >
            {value.map((quota) => (
              <Row key={quota.name} quota={quota} />
            ))}
          </SmallTable>
        )}
      </Loaded>
    </Card>
  );
}
