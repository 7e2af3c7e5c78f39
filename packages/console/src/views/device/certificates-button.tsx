import { Button, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
import { notify } from '../../ui/notify.ts';
import { ErrorBox } from '../../ui/states.tsx';
import { saveFile } from './save-file.ts';

/** Downloads a fresh certificate and key. Not a link: a refusal is to be read here, not in a page of its own. */
export function CertificatesButton({ deviceId }: { readonly deviceId: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const download = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { value } = await call('devices.certificates', { params: { device_id: deviceId } });
      saveFile(value, 'certificates.zip', 'application/zip');
      notify(t.certificatesAreDownloadedCertificateFrom);
      await renew('devices');
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={busy}
        onClick={() => void download()}
        style={{ alignSelf: 'flex-start' }}
      >
        {t.downloadCertificates}
      </Button>
      {error && <ErrorBox error={error} title={t.thereAreNoCertificatesTo} />}
    </Stack>
  );
}
