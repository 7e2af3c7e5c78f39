import { Button, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useHistoryState } from 'wouter/use-browser-location';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { formatCount } from '../../texts/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { devicesOf, type Named, type Target } from './bulk-jobs.ts';

/** More labels than a browser prints at once in good time. */
const labelsLimit = 500;

/** The code of a device: the address of its page, which the camera of a phone opens. */
function Code({ id, name }: Named) {
  return <QrCode text={`${window.location.origin}/devices/${id}`} label={t.codeOf(name)} />;
}

function Sheet({ target }: { readonly target: Target }) {
  const found = useQuery({
    queryKey: ['devices', 'labels', target],
    queryFn: ({ signal }) => devicesOf(target, signal, labelsLimit),
  });
  return (
    <Loaded query={found} label={t.loadingLabels}>
      {(devices) => <Labelled devices={devices.slice(0, labelsLimit)} count={target.count} />}
    </Loaded>
  );
}

function Labelled({ devices: shown, count }: { readonly devices: readonly Named[]; readonly count: number }) {
  return (
    <>
      {count > shown.length && (
        <Text size="sm" className="on-screen">
          {t.firstLabelsAreShown(formatCount(shown.length), formatCount(count))}
        </Text>
      )}
      <ul className="label-sheet">
        {shown.map((device) => (
          <li key={device.id}>
            <Code {...device} />
            <div>
              <PageLink href={`/devices/${device.id}`}>{device.name}</PageLink>
              <Text size="xs">{device.id}</Text>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A sheet to print, with a label for each device that was marked in the list. */
export default function Labels() {
  const target = useHistoryState<Target | null>();
  return (
    <Page
      title={common.labelSheet}
      crumbs={[{ title: common.devices, href: '/devices' }]}
      description={<span className="on-screen">{t.scanToOpen}</span>}
      actions={
        target && (
          <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
            {t.print}
          </Button>
        )
      }
    >
      {target ? <Sheet target={target} /> : <Empty title={t.noLabelsYet}>{t.markDevicesFirst}</Empty>}
    </Page>
  );
}
