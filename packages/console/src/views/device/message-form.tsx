import { Stack, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { messageLimitBytes } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { formatCount } from '../../texts/format.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { byteLength, parseHeaders } from './message-headers.ts';

/** Writes a message that waits until the device fetches it. */
export function MessageForm({ deviceId }: { readonly deviceId: string }) {
  const form = useForm({ initialValues: { data: '', headers: '' } });
  const post = useChange('data.postMessage', 'data');
  const { data } = form.values;
  const bytes = byteLength(data);
  const headers = parseHeaders(form.values.headers);
  const tooLong = bytes > messageLimitBytes;
  const send = async (): Promise<void> => {
    if (typeof headers === 'string') return;
    const body = { data, ...(Object.keys(headers).length > 0 && { headers }) };
    await post.mutateAsync({ params: { device_id: deviceId }, body });
    form.reset();
    notify(t.messageWaitsForDevice);
  };
  return (
    <Stack mb="md">
      <Form submit={t.sendToDevice} onSubmit={send} disabled={data === '' || tooLong || typeof headers === 'string'}>
        <Textarea
          label={t.message}
          description={t.ofBytes(formatCount(bytes), formatCount(messageLimitBytes))}
          autosize
          minRows={2}
          maxRows={12}
          {...form.getInputProps('data')}
          error={tooLong && t.itIsBytesTooLong(formatCount(bytes - messageLimitBytes))}
        />
        <Textarea
          label={common.headers}
          description={t.optionalOneToLineName}
          autosize
          minRows={1}
          maxRows={8}
          {...form.getInputProps('headers')}
          error={typeof headers === 'string' && headers}
        />
      </Form>
    </Stack>
  );
}
