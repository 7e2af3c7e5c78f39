import { Alert, Textarea } from '@mantine/core';
import { type DeviceRecord, gatewayStreamsPath } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/gateway.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

const example = `{
  "name": "Gauge",
  "version": "1.0.0",
  "streams": {
    "level": { "title": "Level", "type": "number", "units": "mV", "command": "adc 7 -v" }
  }
}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface StreamsFormProps {
  readonly device: DeviceRecord;
  /** The file as it is saved; empty where there is none. */
  readonly now: string;
  /** What the gateway has found wrong with what was saved last. */
  readonly problem: string | undefined;
}

function StreamsForm({ device, now, problem }: StreamsFormProps) {
  const [text, setText] = useState<string>();
  const [saved, setSaved] = useState<string>();
  const shown = text ?? now;
  const isWrong = shown.trim() !== '' && !isJson(shown);
  const params = { device_id: device.id, path: gatewayStreamsPath };
  const save = async (): Promise<void> => {
    if (shown.trim() === '') await call('deviceFiles.remove', { params });
    else await call('deviceFiles.upload', { params, query: {}, body: new Blob([shown]) });
    setSaved(text);
    await renew('deviceFiles');
    notify(t.streamsSaved);
  };
  return (
    <Form
      submit={t.saveStreams}
      onSubmit={save}
      disabled={isWrong || shown === now}
      dirty={text !== saved && shown !== now}
    >
      {problem !== undefined && (
        <Alert color="red" title={t.streamsRefused}>
          {problem}
        </Alert>
      )}
      <Textarea
        label={t.streams}
        description={t.whatStreamsAre}
        placeholder={example}
        autosize
        minRows={4}
        maxRows={24}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...bindText(shown, setText)}
        error={isWrong && t.streamsAreNoJson}
      />
    </Form>
  );
}

/** How often what the gateway says of the file is asked for, in ms: no event tells of it. */
const renewMs = 5_000;

/** Which commands read what a module measures; its gateway reads the file. */
export function GatewayStreams({ device }: Pick<StreamsFormProps, 'device'>) {
  const params = { device_id: device.id };
  const attributes = useCall('attributes.list', { params }, { everyMs: renewMs });
  const listed = useCall('deviceFiles.list', { params, query: { prefix: gatewayStreamsPath, limit: 1 } });
  const isThere = listed.data?.value.some(({ path }) => path === gatewayStreamsPath);
  const file = useCall(
    'deviceFiles.get',
    { params: { ...params, path: gatewayStreamsPath } },
    { enabled: isThere === true },
  );
  const problem = attributes.data?.value.find(({ name }) => name === 'streams_problem')?.value;
  const now = isThere === false ? '' : file.data && new TextDecoder().decode(file.data.value);
  return now === undefined ? null : <StreamsForm device={device} now={now} problem={problem} />;
}
