import { Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { saveFile } from '../../browser/save-file.ts';
import { t } from '../../texts/device.ts';
import { notify } from '../../ui/notify.ts';
import { WorkButton } from '../../ui/work-button.tsx';

/** Downloads a fresh certificate and key. Not a link: a refusal is to be read here, not in a page of its own. */
export function CertificatesButton({ deviceId }: { readonly deviceId: string }) {
  const download = async (): Promise<void> => {
    const { value } = await call('devices.certificates', { params: { device_id: deviceId } });
    saveFile(value, 'certificates.zip', 'application/zip');
    notify(t.certificatesAreDownloadedCertificateFrom);
    await renew('devices');
  };
  return (
    <Stack gap="xs" align="flex-start">
      <WorkButton
        label={t.downloadCertificates}
        icon={<IconDownload size={16} aria-hidden />}
        run={download}
        errorTitle={t.thereAreNoCertificatesTo}
      />
    </Stack>
  );
}
