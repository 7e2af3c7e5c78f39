import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/dashboard.ts';
import { Card } from '../../ui/card.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { DeviceLiveProvider } from '../device/device-live.tsx';
import { ranges } from '../device/samples.ts';
import { StreamCard } from '../device/stream-card.tsx';
import { useStreams } from '../device/use-streams.ts';

interface StreamTileProps {
  readonly deviceId: string;
  readonly name: string;
}

function Stream({ deviceId, name }: StreamTileProps) {
  const device = useCall('devices.get', { params: { identifier: deviceId } });
  const { query } = useStreams(deviceId);
  const stream = query.data?.value.find((one) => one.name === name);
  const [range] = ranges;
  const title = device.data?.value.title || deviceId;
  if (stream) {
    const link = <PageLink href={`/devices/${deviceId}/streams`}>{title}</PageLink>;
    return <StreamCard deviceId={deviceId} stream={stream} range={range} device={link} />;
  }
  return (
    <Card title={name} fill>
      <Muted>{query.isPending ? t.loadingStream : t.streamIsGone(title)}</Muted>
    </Card>
  );
}

/** A stream of a device on the dashboard; its chart moves with what arrives. */
const StreamTile = (props: StreamTileProps) => (
  <DeviceLiveProvider deviceId={props.deviceId}>
    <Stream {...props} />
  </DeviceLiveProvider>
);

export default StreamTile;
