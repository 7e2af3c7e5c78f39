import { Button, Group, SimpleGrid, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/dashboard.ts';
import { Card } from '../../ui/card.tsx';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  /** Where it is done; nowhere for whom may not. */
  readonly href: string | undefined;
  readonly action: string;
}

/** The way from an empty service to an updated device, as far as it has been gone. Undefined until that is known. */
function useSteps(): readonly Step[] | undefined {
  const isAdmin = useIsAdmin();
  const { init } = useInit();
  // A platform brings a product for each of its editions, with which nobody has made a step.
  const products = useCall('products.list', { query: { role: 'any', edition: false, limit: 1 } });
  const status = useCall('overview.status', {});
  const fleet = useCall('fleet.summary', { query: {} });
  if (!init || !products.data || !status.data || !fleet.data) return undefined;
  const [product] = products.data.value;
  const { bundles } = status.data.value;
  const { total, standings } = fleet.data.value;
  const platform = init.platforms.find(({ id }) => init.firmwares.some(({ platform_id }) => platform_id === id));
  const [begun] = init.platforms;
  return [
    {
      title: common.platform,
      text: isAdmin ? t.hardwareThatYouBuildFor : t.administratorAddsHardwareThatYou,
      done: platform !== undefined,
      href: isAdmin ? (begun ? `/platforms/${begun.id}` : '/platforms?new=1') : undefined,
      action: begun ? t.addItsFirmware : t.addPlatform,
    },
    {
      title: common.product,
      text: t.whatAllDevicesOfOne,
      done: product !== undefined,
      href: '/products?new=1',
      action: t.createProduct,
    },
    {
      title: common.bundle,
      text: t.versionOfProductDropFiles,
      done: bundles.published > 0,
      href: product ? `/products/${product.id}/bundles` : '/products',
      action: t.makeAndPublishBundle,
    },
    {
      title: common.device,
      text: t.provisionOneOrClaimOne,
      done: total > 0,
      href: '/devices?new=1',
      action: t.addDevice,
    },
    {
      title: t.firstUpdate,
      text: t.typeOtaOnCommandLine,
      done: standings.up_to_date > 0,
      href: '/devices',
      action: t.toDevices,
    },
  ];
}

interface StepMarkProps {
  readonly title: string;
  readonly number: number;
  readonly done: boolean;
  readonly isNext: boolean;
}

function StepMark({ title, number, done, isNext }: StepMarkProps) {
  return (
    <Group component="li" gap="xs" wrap="nowrap" {...(isNext && { 'aria-current': 'step' as const })}>
      <ThemeIcon radius="xl" size="md" color="cyan.9" variant={done || isNext ? 'filled' : 'default'}>
        {done ? <IconCheck size={16} aria-hidden /> : <span aria-hidden>{number}</span>}
      </ThemeIcon>
      <Text size="sm" fw={isNext ? 700 : 400}>
        {title}
        {done && <VisuallyHidden>{t.done}</VisuallyHidden>}
      </Text>
    </Group>
  );
}

/** Leads the user of an empty service through its first update; it is gone when that has landed. */
export function FirstSteps() {
  const steps = useSteps();
  const next = steps?.findIndex(({ done }) => !done) ?? -1;
  const step = steps?.[next];
  if (!steps || !step) return null;
  return (
    <Card title={t.firstSteps}>
      <SimpleGrid component="ol" cols={{ base: 1, xs: 3, md: 5 }} spacing="xs" m={0} p={0} mb="md">
        {steps.map(({ title, done }, index) => (
          <StepMark key={title} title={title} done={done} number={index + 1} isNext={index === next} />
        ))}
      </SimpleGrid>
      <Text mb="sm">{step.text}</Text>
      {step.href !== undefined && (
        <Button component={Link} href={step.href}>
          {step.action}
        </Button>
      )}
    </Card>
  );
}
