import { t } from '../../texts/tag-reach.ts';
import type { CountedGroup, TagReach } from './tag-reach.ts';

/** How many of a group have nothing to do, as the end of a sentence. */
function thereText(group: CountedGroup): string {
  if (group.running === 0) return '';
  return group.running < group.devices ? t.someAreThere(group) : t.allAreThere(group);
}

/** What happens to one group of devices. */
export function groupText(group: CountedGroup, versions: TagReach['versions']): string {
  const { from, to } = group;
  const name = (id: string): string => versions.get(id) ?? t.anotherBundle;
  if (to === undefined) return `${t.whom(group)}: ${t.keepsWhatRuns(group)}`;
  const path = from === undefined ? t.to(name(to)) : t.fromTo(name(from), name(to));
  return `${t.whom(group)}: ${path}${thereText(group)}`;
}

/** Devices that will be updated. */
export const devicesToMove = ({ groups }: TagReach): number =>
  groups.reduce((sum, { to, devices, running }) => sum + (to === undefined ? 0 : devices - running), 0);

/** The sum of it: `This moves 12 devices: …`. */
export function reachText(reach: TagReach): string {
  const moved = devicesToMove(reach);
  return moved === 0 ? t.movesNone : t.moves(moved);
}
