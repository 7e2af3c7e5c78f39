import { type DdiAutoConfirm, type ddiContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { isOpen } from '../../../core/ota/rules.ts';
import type { Handlers } from '../../../engine/http/types.ts';
import {
  actionLink,
  actionOf,
  baseOf,
  type DdiDeps,
  noUpdate,
  shownUpdate,
  textOf,
  waitsForConsent,
} from './actions.ts';
import { updateOfDevice } from './queries.ts';
import { handlingOf } from './rules.ts';

type Contract = Pick<
  typeof ddiContract,
  'confirmations' | 'confirmation' | 'confirm' | 'activateAutoConfirm' | 'deactivateAutoConfirm'
>;

/** What is kept of who consents to all updates. Safe: the service has written it. */
const autoConfirmOf = (kept: string | null): DdiAutoConfirm =>
  kept === null ? { active: false } : { active: true, ...(JSON.parse(kept) as Omit<DdiAutoConfirm, 'active'>) };

/** What the user of a device says to updates, where the product asks for that. Spec: API-DDI-confirmation. */
export const consentRoutes = (deps: DdiDeps): Handlers<Contract> => ({
  async confirmations(call) {
    const { row, name, asksConsent } = call.caller;
    const at = baseOf(call, deps, name);
    if (!at.ok) return at;
    const kept = await deps.autoConfirm(row.id);
    const link = (tail: string) => ({ href: `${at.value}/confirmationBase/${tail}` });
    if (kept !== null) {
      const _links = { deactivateAutoConfirm: link('deactivateAutoConfirm') };
      return success({ autoConfirm: autoConfirmOf(kept), _links });
    }
    const activateAutoConfirm = link('activateAutoConfirm');
    if (!asksConsent) return success({ autoConfirm: autoConfirmOf(kept), _links: { activateAutoConfirm } });
    const { update, offer } = await deps.standing(row, call.ip);
    const handling = handlingOf(offer.install, textOf(call.headers['user-agent']));
    const waits = update !== undefined && waitsForConsent(call.caller, await deps.book.of(update.id));
    return success({
      autoConfirm: autoConfirmOf(kept),
      _links: {
        activateAutoConfirm,
        ...(waits && { confirmationBase: actionLink(at.value, 'confirmationBase', update.id, handling) }),
      },
    });
  },
  async confirmation(call) {
    const found = await shownUpdate(deps, call);
    if (!found.ok) return found;
    const { update, handling, known } = found.value;
    if (!waitsForConsent(call.caller, known)) return noUpdate();
    await deps.book.shown(update.id, call.caller.row.id, null);
    const action = await actionOf(deps, call, update, { handling, isWaiting: true });
    if (!action.ok) return action;
    const { deployment: confirmation, ...rest } = action.value;
    return success({ ...rest, confirmation });
  },
  async confirm({ caller, params, body }) {
    const { row } = caller;
    const update = await updateOfDevice(deps.storage.db, row.id, params.action_id);
    if (!update) return noUpdate();
    if (!isOpen(update.state)) return failure(refusal('UPDATE_OVER'));
    const { confirmation, code, details } = body;
    // What has begun goes on: it can be cancelled, and not be denied any more. The consent may be said again.
    if (!waitsForConsent(caller, await deps.book.of(update.id))) {
      return confirmation === 'confirmed' ? success({}) : noUpdate();
    }
    await deps.book.shown(update.id, row.id, null);
    await deps.book.decide(update.id, confirmation);
    const said = (details ?? []).filter((line) => line !== '');
    const first = typeof code === 'number' ? `${confirmation}, code ${code}` : confirmation;
    await deps.book.say(update.id, 'confirmation', [first, ...said]);
    return success({});
  },
  async activateAutoConfirm({ caller: { row }, body: { initiator, remark } }) {
    const kept = { ...(initiator && { initiator }), ...(remark && { remark }), activatedAt: deps.clock.now() };
    await deps.setAutoConfirm(row.id, JSON.stringify(kept));
    return success({});
  },
  async deactivateAutoConfirm({ caller: { row } }) {
    await deps.setAutoConfirm(row.id, null);
    return success({});
  },
});
