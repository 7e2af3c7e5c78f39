import { Divider } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/sign-in.ts';
import { pageHasPasskeys } from '../../ui/passkeys.ts';
import { WorkButton } from '../../ui/work-button.tsx';

/** Signs in with a passkey, without name and password; nothing where this page has none. */
export function PasskeySignIn({ onDone }: { readonly onDone: (session: SessionRecord) => void }) {
  const address = useCall('auth.policy', {}).data?.value.passkeys;
  if (!pageHasPasskeys(address)) return null;
  const signIn = async (): Promise<void> => {
    const { signInWithPasskey } = await import('../second-factor/passkey-steps.ts');
    onDone(await signInWithPasskey());
  };
  return (
    <>
      <Divider label={t.or} />
      <WorkButton label={t.signInWithPasskey} run={signIn} />
    </>
  );
}
