import { Group, Text } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { t } from '../texts/products.ts';
import { StateBadge } from './badge.tsx';

interface VersionsProps {
  readonly product: Pick<ProductRecord, 'release' | 'version'>;
  /** Where nothing is published. */
  readonly none?: string;
}

/** The version that devices without a tag get, and a newer one that they do not get yet. */
export function Versions({ product: { release, version }, none = '—' }: VersionsProps) {
  if (version === null) return none;
  const isNewer = version !== release;
  return (
    <Group gap={6} wrap="wrap">
      {release !== null && (
        <>
          {release} <StateBadge state="release" />
        </>
      )}
      {isNewer && (
        <Text span inherit {...(release !== null && { c: 'dimmed' })}>
          {release === null ? version : t.newer(version)}
        </Text>
      )}
    </Group>
  );
}
