import type { identityContract } from '@moorage/api';
import { success } from '@moorage/base';
import type { Handlers } from '../core/types.ts';

/** The certificate of the authority, for everybody who has to trust it. */
export const identityRoutes = ({ ca }: { readonly ca: string }): Handlers<typeof identityContract> => ({
  async authority() {
    return success({ bytes: new TextEncoder().encode(ca), mime: 'application/x-pem-file', filename: 'ca.pem' });
  },
});
