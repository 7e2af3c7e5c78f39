import { plural } from '../../ui/format.ts';
import type { CountedGroup, TagReach } from './tag-reach.ts';

/** Whom a group is: `2 devices with tag beta`, `1 device without a tag`. */
const whom = ({ tag, devices }: CountedGroup): string =>
  `${plural(devices, 'device')} ${tag === '' ? 'without a tag' : `with tag ${tag}`}`;

/** What happens to one group of devices. */
export function groupText(group: CountedGroup, versions: TagReach['versions']): string {
  const { from, to, devices, running } = group;
  const name = (id: string): string => versions.get(id) ?? 'another bundle';
  if (to === undefined)
    return `${whom(group)}: offered nothing any more; ${devices === 1 ? 'it keeps' : 'they keep'} what runs`;
  const path = from === undefined ? `to ${name(to)}` : `from ${name(from)} to ${name(to)}`;
  const there =
    running === 0
      ? ''
      : running === devices
        ? ', where they are already'
        : `; ${plural(running, 'device')} of them ${running === 1 ? 'runs' : 'run'} it already`;
  return `${whom(group)}: ${path}${there}`;
}

/** Devices that will be updated. */
export const devicesToMove = ({ groups }: TagReach): number =>
  groups.reduce((sum, { to, devices, running }) => sum + (to === undefined ? 0 : devices - running), 0);

/** The sum of it: `This moves 12 devices.` */
export function reachText(reach: TagReach): string {
  const moved = devicesToMove(reach);
  if (moved === 0) return 'This moves no device.';
  return `This moves ${plural(moved, 'device')}: ${moved === 1 ? 'it gets' : 'they get'} the update with ${moved === 1 ? 'its' : 'their'} next check, at once when ${moved === 1 ? 'it is' : 'they are'} online and told to.`;
}
