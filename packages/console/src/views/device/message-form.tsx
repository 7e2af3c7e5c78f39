import { Stack, Textarea } from '@mantine/core';
import { messageLimitBytes } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { Form } from '../../ui/form.tsx';
import { formatCount } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { byteLength, parseHeaders } from './message-headers.ts';

/** Writes a message that waits until the device fetches it. */
export function MessageForm({ deviceId }: { readonly deviceId: string }) {
  const [data, setData] = useState('');
  const [headerText, setHeaderText] = useState('');
  const post = useChange('data.postMessage', 'data');
  const bytes = byteLength(data);
  const headers = parseHeaders(headerText);
  const tooLong = bytes > messageLimitBytes;
  const send = async (): Promise<void> => {
    if (typeof headers === 'string') return;
    const body = { data, ...(Object.keys(headers).length > 0 && { headers }) };
    await post.mutateAsync({ params: { device_id: deviceId }, body });
    setData('');
    setHeaderText('');
    notify(t.messageWaitsForDevice);
  };
  return (
    <Stack mb="md">
      <Form submit={t.sendToDevice} onSubmit={send} disabled={data === '' || tooLong || typeof headers === 'string'}>
        <Textarea
          label={t.message}
          description={t.ofBytes(formatCount(bytes), formatCount(messageLimitBytes))}
          error={tooLong && t.itIsBytesTooLong(formatCount(bytes - messageLimitBytes))}
          autosize
          minRows={2}
          maxRows={12}
          value={data}
          onChange={(event) => setData(event.currentTarget.value)}
        />
        <Textarea
          label={common.headers}
          description={t.optionalOneToLineName}
          error={typeof headers === 'string' && headers}
          autosize
          minRows={1}
          maxRows={8}
          value={headerText}
          onChange={(event) => setHeaderText(event.currentTarget.value)}
        />
      </Form>
    </Stack>
  );
}
