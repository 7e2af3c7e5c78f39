import type { ddiContract, ReportedAttributes } from '@moorage/api';
import { ignoreFailure, success } from '@moorage/base';
import { encodeFilename } from '../../../core/ota/rules.ts';
import {
  type DoorCaller,
  EmptyReply,
  type Handlers,
  RedirectReply,
  type RequestHeaders,
} from '../../../engine/http/types.ts';
import { bySelf } from '../door-updates.ts';
import { baseOf, type DdiDeps, textOf, waitsForConsent } from './actions.ts';
import { attributeValues } from './queries.ts';
import { attributeNameOf } from './rules.ts';

type Contract = Pick<typeof ddiContract, 'bundle' | 'noteInstalled'>;

/** What RAUC says of the device in headers, and the attributes that they become. */
const attributeOfHeader = {
  'rauc-system-version': 'rauc.system-version',
  'rauc-variant': 'rauc.variant',
  'rauc-serial': 'rauc.serial',
} as const;

const longestValue = 256;
const runsName = attributeOfHeader['rauc-system-version'];

/**
 * Keeps what RAUC says of the device. It reports no success: where it runs another version than at its last poll, the
 * bundle that it has fetched is what it runs now.
 */
async function keepReported(deps: DdiDeps, { row }: DoorCaller, headers: RequestHeaders, ip: string): Promise<void> {
  const reported: ReportedAttributes = Object.fromEntries(
    Object.entries(attributeOfHeader).flatMap(([header, name]) => {
      const value = textOf(headers[header]);
      return value ? [[name, value.slice(0, longestValue)]] : [];
    }),
  );
  const known = await attributeValues(deps.storage.db, row.id, Object.values(attributeOfHeader));
  if (Object.entries(reported).every(([name, value]) => known.get(name) === value)) return;
  await deps.keepAttributes(row.id, reported, deps.clock.now());
  await deps.probation.show(row, reported, ip);
  const before = known.get(runsName);
  const current = await deps.updates.current(deps.storage.db, row);
  if (before === undefined || before === reported[runsName] || current?.state !== 'downloading') return;
  if (await deps.probation.applies(row.id)) return;
  // An update that has ended meanwhile needs no confirmation.
  ignoreFailure(await deps.updates.reportAction(row, { updateId: current.id, trigger: 'confirm' }, bySelf(ip)));
}

/** RAUC's own polling, and what clients say that they run. */
export const pollingRoutes = (deps: DdiDeps): Handlers<Contract> => ({
  /** API-DDI-polling */
  async bundle(call) {
    const { caller, headers, ip } = call;
    await keepReported(deps, caller, headers, ip);
    const row = (await deps.storage.hot.deviceById(caller.row.id)) ?? caller.row;
    const { update, offer } = await deps.standing(row, ip);
    const isHeld = (offer.install?.waitMs ?? 0) > 0 || update?.state === 'installed';
    if (!update?.to_bundle_id || isHeld) return success(new EmptyReply());
    if (waitsForConsent(caller, await deps.book.of(update.id))) return success(new EmptyReply());
    const files = await deps.filesOf(deps.storage.db, update.to_bundle_id);
    const file = files.find(({ filename }) => filename.endsWith('.raucb'));
    if (!file) return success(new EmptyReply());
    const at = baseOf(call, deps, caller.name);
    if (!at.ok) return at;
    const ticket = await deps.ticketFor(update.id, caller);
    const path = `softwaremodules/${update.to_bundle_id}/artifacts/${encodeFilename(file.filename)}`;
    return success(new RedirectReply(`${at.value}/${path}?ticket=${ticket}`));
  },
  /** API-DDI-installed */
  async noteInstalled({ caller: { row }, body, ip }) {
    const reported = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [attributeNameOf(`installed.${name}`), value.slice(0, longestValue)]),
    );
    await deps.keepAttributes(row.id, reported, deps.clock.now());
    await deps.probation.show(row, reported, ip);
    return success({});
  },
});
