import { invitationDays } from '@moorage/api';
import { settingsTable } from '@moorage/service/engine/settings/settings';
import { defineCliCommand, UserError } from './define.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';
import { checkCount, roles, wordOf } from './words.ts';

/** What the link begins with, and whether there are links at all. */
const linkOptions = Object.fromEntries(
  (['public-url', 'host', 'port', 'sign-up'] as const).map((name) => [name, settingsTable[name]]),
);

export const userInviteCommand = defineCliCommand({
  name: 'invite',
  parent: 'user',
  summary: 'Make a link by which one account can be made; the service may be running',
  options: withStorageOptions({
    ...linkOptions,
    email: { kind: 'text', placeholder: 'EMAIL', help: 'the only address that it is for', defaultText: 'any' },
    role: { kind: 'text', placeholder: 'ROLE', help: 'user or admin', default: 'user' },
    days: { kind: 'count', placeholder: 'DAYS', help: 'how long it is good', default: invitationDays.usual },
  }),
  async run({ options, sources, reporter }) {
    const { isEmail } = await import('@moorage/service/administration');
    const { email, days } = options;
    if (email !== undefined && !isEmail(email))
      throw new UserError(`Option --email is "${email}", not an email address`, 2);
    const role = wordOf(roles, options.role, 'Option --role');
    checkCount('days', days, invitationDays.most);
    const made = await onStorage(sources, async ({ inviteUser }, settings) => {
      const { publicUrl = `http://${settings.host}:${settings.port}` } = settings;
      const invited = await inviteUser(settings, { email, role, days });
      if (!invited.ok) throw new UserError(invited.error.message);
      return { ...invited.value, link: `${publicUrl}/sign-up#${encodeURIComponent(invited.value.token)}` };
    });
    const until = new Date(made.row.expires_at).toISOString();
    reporter.event(
      'invitation',
      { id: made.row.id, email: made.row.email, role, link: made.link, expires_at: until },
      `Invitation for ${made.row.email ?? 'one account'}, role ${role}, until ${until}: ${made.link} (shown this once)`,
    );
  },
});
