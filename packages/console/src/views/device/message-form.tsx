import { Stack, Textarea } from '@mantine/core';
import { messageLimitBytes } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
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
    notify('The message waits for the device');
  };
  return (
    <Stack mb="md">
      <Form
        submit="Send to the device"
        onSubmit={send}
        disabled={data === '' || tooLong || typeof headers === 'string'}
      >
        <Textarea
          label="Message"
          description={`${formatCount(bytes)} of ${formatCount(messageLimitBytes)} bytes`}
          error={tooLong && `It is ${formatCount(bytes - messageLimitBytes)} bytes too long`}
          autosize
          minRows={2}
          maxRows={12}
          value={data}
          onChange={(event) => setData(event.currentTarget.value)}
        />
        <Textarea
          label="Headers"
          description="Optional; one to a line, name: value"
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
