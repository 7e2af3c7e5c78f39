import type { identityContract, Refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { byCaller } from '../../engine/db/logs.ts';
import type { Caller, Deps, Handlers } from '../../engine/http/types.ts';
import { authorise, generalRoles } from '../access/rules.ts';
import { listAuthorities, retireAuthority, rotateAuthority } from './authorities.ts';
import type { Identity } from './identity.ts';

type IdentityDeps = Pick<Deps, 'storage' | 'clock'> & { readonly identity: Pick<Identity, 'ca' | 'refresh'> };

const refuse = (caller: Caller): Refusal | undefined =>
  authorise('authority.manage', generalRoles(caller), 'Authorities');

/** The certificates of the authorities, for everybody who has to trust them; administrators replace them. */
export const identityRoutes = (deps: IdentityDeps): Handlers<typeof identityContract> => {
  const { clock, identity } = deps;

  async function listed(done: Result<void, Refusal>) {
    if (!done.ok) return done;
    await identity.refresh();
    return success(await listAuthorities(deps));
  }

  return {
    async authority() {
      const bytes = new TextEncoder().encode(identity.ca);
      return success({ bytes, mime: 'application/x-pem-file', filename: 'ca.pem' });
    },

    // API-EP-GET-authorities
    async list({ caller }) {
      const refused = refuse(caller);
      return refused ? failure(refused) : success(await listAuthorities(deps));
    },

    // API-EP-POST-authorities
    async rotate(call) {
      const refused = refuse(call.caller);
      return refused ? failure(refused) : listed(await rotateAuthority(deps, byCaller(call, clock.now())));
    },

    // API-EP-POST-authorities-retire
    async retire(call) {
      const refused = refuse(call.caller);
      if (refused) return failure(refused);
      return listed(await retireAuthority(deps, call.body.force ?? false, byCaller(call, clock.now())));
    },
  };
};
