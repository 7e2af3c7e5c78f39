import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHandStop } from '@tabler/icons-react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/fleet.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as rollouts } from '../../texts/rollouts.ts';
import { confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { StopForm } from './stop-form.tsx';

function StopAllForm({ onDone }: { readonly onDone: () => void }) {
  const stopAll = useChange('rollouts.stopAll', 'rollouts', 'devices');
  const stop = async (reason: string): Promise<void> => {
    const { paused } = await stopAll.mutateAsync({ body: { reason } });
    notify(t.everythingIsFrozen(plural(paused, nouns.rollout)));
    onDone();
  };
  return <StopForm says={t.everyRolloutOfAllPauses} stop={stop} />;
}

/** The emergency stop of all products, and its end; for administrators. */
export function StopAll() {
  const [opened, dialog] = useDisclosure();
  const lift = useChange('rollouts.liftStop', 'rollouts', 'devices');
  const freezes = useCall('rollouts.freezes', { query: { limit: 1, everywhere: true } });
  const ask = (): void =>
    confirm({
      title: `${t.liftStop}?`,
      body: t.productsThaw,
      action: t.liftStop,
      run: () => lift.mutateAsync({}),
      done: t.stopIsLifted,
    });
  return (
    <>
      {(freezes.data?.total ?? 0) > 0 && (
        <Button variant="default" loading={lift.isPending} onClick={ask}>
          {t.liftStop} …
        </Button>
      )}
      <Button color="red.9" leftSection={<IconHandStop size={16} aria-hidden />} onClick={dialog.open}>
        {rollouts.emergencyStop}
      </Button>
      <Dialog title={t.stopOfEverything} opened={opened} onClose={dialog.close}>
        <StopAllForm onDone={dialog.close} />
      </Dialog>
    </>
  );
}
