/** Response codes of a module, in its own words. */
export const responseTexts: Readonly<Record<number, string>> = {
  0: 'Success',
  1: 'Command failed',
  2: 'Parse error',
  3: 'Unknown command',
  4: 'Too few arguments',
  5: 'Too many arguments',
  6: 'Unknown variable',
  7: 'Invalid argument',
  8: 'Overflow',
  9: 'Bounds error',
};

/** Results of an update that a module reports: what they mean, and what can be done about them. */
export const updateResults: Readonly<Record<number, { readonly text: string; readonly advice?: string }>> = {
  0: { text: 'No update since it was switched on' },
  1: { text: 'Updated' },
  2: { text: 'No update was required' },
  3: {
    text: 'General failure',
    advice: 'Look for bad data or a full flash in the log of the module, then update again.',
  },
  4: { text: 'No network name or password is set', advice: 'Set wlan.ssid and wlan.passkey on the module.' },
  5: { text: 'It could not join its network', advice: 'Check the network name, the password and the reception.' },
  6: { text: 'The service was not reachable', advice: 'Check the address that the module has and its way here.' },
  7: { text: 'Not authorised', advice: 'Claim the module, let it in again if it is blocked, or provision it again.' },
  8: { text: 'Bad request', advice: 'The log of the service names what was wrong with it.' },
  9: { text: 'Not found', advice: 'Publish a bundle of its product and give it a tag that the device follows.' },
};

/** What a result code of an update says: `Updated`, or the number where it has no meaning. */
export const resultText = (result: number | null): string =>
  result === null ? '—' : (updateResults[result]?.text ?? `Code ${result}`);
