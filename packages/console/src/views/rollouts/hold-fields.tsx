import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { common } from '../../texts/common.ts';
import { bindText } from '../../ui/bind-text.ts';
import { momentOf } from './moment-of.ts';

/** Why devices are held where they are, and until when: what the fields show, and what the service is told. */
export function useHold() {
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const untilMs = momentOf(until);
  const body = { reason, ...(untilMs !== undefined && { until: untilMs }) };
  return { body, isReasoned: reason.trim() !== '', reason, setReason, until, setUntil };
}

interface HoldFieldsProps {
  readonly hold: ReturnType<typeof useHold>;
  /** What is so when no end is given. */
  readonly endless: string;
  /** Whether typing begins here. */
  readonly isFirst?: boolean;
}

/** Asks why something is held, and until when. */
export function HoldFields({ hold: { reason, setReason, until, setUntil }, endless, isFirst }: HoldFieldsProps) {
  return (
    <>
      <TextInput
        label={common.why}
        description={common.othersReadIt}
        required
        maxLength={500}
        {...bindText(reason, setReason)}
        {...(isFirst && { 'data-autofocus': true })}
      />
      <TextInput type="datetime-local" label={common.until} description={endless} {...bindText(until, setUntil)} />
    </>
  );
}
