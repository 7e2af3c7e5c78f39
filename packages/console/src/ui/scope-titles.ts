import type { TokenScope } from '@moorage/api';
import { t } from '../texts/account.ts';

/** What a token may do, by its scopes. */
export const scopeTitles: Readonly<Record<TokenScope, string>> = {
  all: t.scopeAll,
  read: t.scopeRead,
  operate: t.scopeOperate,
  publish: t.scopePublish,
  administer: t.scopeAdminister,
};
