import { capabilitiesSchema, schemasContract } from '@moorage/api';
import { success } from '@moorage/base';
import type { Handlers } from '../../engine/http/types.ts';

/** The schemas that others check their files against. */
export const schemaRoutes = (): Handlers<typeof schemasContract> => {
  const { mediaType: mime } = schemasContract.capabilities.reply;
  const bytes = Buffer.from(JSON.stringify(capabilitiesSchema, null, 2));
  return {
    // API-EP-GET-schemas-capabilities.json
    async capabilities() {
      return success({ bytes, mime });
    },
  };
};
