import type { ChangeEvent } from 'react';

/** Properties by which a text field shows a state and changes it. */
export const bindText = (value: string, set: (value: string) => void) => ({
  value,
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => set(event.currentTarget.value),
});
