import { NumberInput } from '@mantine/core';
import { tokenDaysLimit } from '@moorage/api';
import { t } from '../texts/account.ts';

/** For how many days a token is good; empty for good. */
export function TokenDays({
  value,
  onChange,
}: {
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
}) {
  return (
    <NumberInput
      label={t.daysItIsGood}
      placeholder={t.forGood}
      min={1}
      max={tokenDaysLimit}
      allowDecimal={false}
      value={value}
      onChange={onChange}
    />
  );
}
