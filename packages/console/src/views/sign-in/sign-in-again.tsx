import { Button, Modal, Stack, Text } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { resumeSession } from '../../api/session.tsx';
import { t } from '../../texts/sign-in.ts';
import { SignInForm } from './sign-in-form.tsx';

const column = { width: '100%', maxWidth: 452, marginInline: 'auto' } as const;

/**
 * Asks the user whose session is over to sign in again, over the page that was shown: what has been typed there stays.
 */
export default function SignInAgain({ session }: { readonly session: SessionRecord }) {
  return (
    <Modal
      opened
      fullScreen
      title={t.yourSessionIsOver}
      withCloseButton={false}
      closeOnEscape={false}
      onClose={() => undefined}
      // Over every dialogue of the page, and with nothing of it to be seen.
      zIndex={1_000}
      transitionProps={{ duration: 0 }}
      // The title stands over the form: both are in one column, in the middle of the window.
      styles={{
        content: { display: 'flex', flexDirection: 'column', justifyContent: 'center' },
        header: { ...column, flex: 'none', minHeight: 0 },
        body: column,
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t.signInAgainToGo}</Text>
        <SignInForm
          name={session.username}
          onDone={(next) => resumeSession(next, session)}
          more={
            <Button variant="subtle" onClick={() => window.location.assign('/')}>
              {t.leaveThisPage}
            </Button>
          }
        />
      </Stack>
    </Modal>
  );
}
