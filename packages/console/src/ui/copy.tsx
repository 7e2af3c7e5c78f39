import { ActionIcon, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTip } from './tip.tsx';

interface ButtonProps {
  readonly label: string;
  readonly copied: boolean;
  readonly copy: () => void;
}

function Button({ label, copied, copy }: ButtonProps) {
  const { target, bubble } = useTip<HTMLButtonElement>(copied ? 'Copied' : `Copy ${label}`);
  return (
    <>
      <ActionIcon {...target} variant="subtle" color="gray" size={24} onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
      {bubble}
    </>
  );
}

/** Copies a text whole. `label` names it: "Copy uuid". */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => <Button label={label} copied={copied} copy={copy} />}
    </CopyButton>
  );
}
