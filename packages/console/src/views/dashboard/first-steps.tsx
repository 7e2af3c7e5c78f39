import { Button, Group, SimpleGrid, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
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
  const products = useCall('products.list', { query: { role: 'any', limit: 100 } });
  const status = useCall('overview.status', {});
  const fleet = useCall('fleet.summary', { query: {} });
  if (!init || !products.data || !status.data || !fleet.data) return undefined;
  // A platform brings a product for each of its editions; its code is that of the edition.
  const product = products.data.value.find(({ code, flavor }) => code !== flavor);
  const { bundles } = status.data.value;
  const { total, updates } = fleet.data.value;
  const platform = init.platforms.find(({ id }) => init.firmwares.some(({ platform_id }) => platform_id === id));
  const [begun] = init.platforms;
  return [
    {
      title: 'Platform',
      text: isAdmin
        ? 'The hardware that you build for, with the firmware that it runs.'
        : 'An administrator adds the hardware that you build for, with its firmware.',
      done: platform !== undefined,
      href: isAdmin ? (begun ? `/platforms/${begun.id}` : '/platforms?new=1') : undefined,
      action: begun ? 'Add its firmware' : 'Add a platform',
    },
    {
      title: 'Product',
      text: 'What all devices of one model share.',
      done: product !== undefined,
      href: '/products?new=1',
      action: 'Create a product',
    },
    {
      title: 'Bundle',
      text: 'A version of the product: drop files into it, publish it, and tag it "release".',
      done: bundles.published > 0,
      href: product ? `/products/${product.id}/bundles` : '/products',
      action: 'Make and publish a bundle',
    },
    {
      title: 'Device',
      text: 'Provision one, or claim one that has its certificate already, and activate it to the product.',
      done: total > 0,
      href: '/devices?new=1',
      action: 'Add a device',
    },
    {
      title: 'First update',
      text: 'Type "ota" on the command line of the module, or wait until it asks by itself.',
      done: updates.ok > 0,
      href: '/devices',
      action: 'To the devices',
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
        {done && <VisuallyHidden>, done</VisuallyHidden>}
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
    <Card title="First steps">
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
