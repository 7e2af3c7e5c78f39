import { Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifyError } from './notify.ts';

interface RoleSelectProps<R extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: R; readonly label: string }[];
  readonly role: R;
  /** Gives another role, and says so. */
  readonly onChoose: (role: R) => Promise<void>;
}

/** The role of one of several people, which changes as soon as another is chosen. */
export function RoleSelect<R extends string>({ label, choices, role, onChoose }: RoleSelectProps<R>) {
  const [busy, { open, close }] = useDisclosure();
  const choose = (value: string | null): void => {
    const next = choices.find((choice) => choice.value === value)?.value;
    if (next === undefined || next === role) return;
    open();
    void onChoose(next).catch(notifyError).finally(close);
  };
  return (
    <Select
      aria-label={label}
      data={[...choices]}
      value={role}
      allowDeselect={false}
      disabled={busy}
      w={150}
      onChange={choose}
    />
  );
}
