import { ActionIcon } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from '../browser/clipboard.ts';
import { after } from '../browser/time.ts';
import { t } from '../texts/ui.ts';
import { notifyError } from './notify.ts';
import { useTip } from './tip.tsx';

/** How long it says that it has copied, in ms. */
const saidMs = 1_500;

/** Copies a text whole. `label` names it: "Copy uuid". */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => (copied ? after(saidMs, () => setCopied(false)) : undefined), [copied]);
  const { target, bubble } = useTip<HTMLButtonElement>(copied ? t.copied : t.copy(label));
  const copy = async (): Promise<void> => {
    if (await copyText(value)) setCopied(true);
    else notifyError(t.browserDidNotLetConsole);
  };
  return (
    <>
      <ActionIcon
        {...target}
        variant="subtle"
        color="gray"
        size={24}
        onClick={() => void copy()}
        aria-label={t.copy(label)}
      >
        {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
      {bubble}
    </>
  );
}
