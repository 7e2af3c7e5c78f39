import { formatCount, plural } from '../../ui/format.ts';
import type { CountedGroup, TagReach } from './tag-reach.ts';

/** One device or many: the words that follow from it. */
const words = (devices: number) =>
  devices === 1
    ? { they: 'it', keep: 'keeps', are: 'is', get: 'gets', their: 'its', ask: 'asks' }
    : { they: 'they', keep: 'keep', are: 'are', get: 'get', their: 'their', ask: 'ask' };

/** Whom a group is: `2 devices with tag beta`, `1 device without a tag`. */
const whom = ({ tag, devices }: CountedGroup): string =>
  `${plural(devices, 'device')} ${tag === '' ? 'without a tag' : `with tag ${tag}`}`;

/** How many of a group have nothing to do, as the end of a sentence. */
function thereText({ devices, running }: CountedGroup): string {
  if (running === 0) return '';
  if (running < devices) return `; ${formatCount(running)} of them ${running === 1 ? 'runs' : 'run'} it already`;
  const { they, are } = words(devices);
  return `, where ${they} ${are} already`;
}

/** What happens to one group of devices. */
export function groupText(group: CountedGroup, versions: TagReach['versions']): string {
  const { from, to, devices } = group;
  const { they, keep } = words(devices);
  const name = (id: string): string => versions.get(id) ?? 'another bundle';
  if (to === undefined) return `${whom(group)}: offered nothing any more; ${they} ${keep} what runs`;
  const path = from === undefined ? `to ${name(to)}` : `from ${name(from)} to ${name(to)}`;
  return `${whom(group)}: ${path}${thereText(group)}`;
}

/** Devices that will be updated. */
export const devicesToMove = ({ groups }: TagReach): number =>
  groups.reduce((sum, { to, devices, running }) => sum + (to === undefined ? 0 : devices - running), 0);

/** The sum of it: `This moves 12 devices: …`. */
export function reachText(reach: TagReach): string {
  const moved = devicesToMove(reach);
  if (moved === 0) return 'This moves no device.';
  const { they, get, ask } = words(moved);
  return (
    `This moves ${plural(moved, 'device')}: ${they} ${get} the update when ${they} ${ask} for one. ` +
    'Those that update themselves are told now, and ask within half a minute.'
  );
}
