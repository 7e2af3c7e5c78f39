import { ApiError } from '../../api/client.ts';
import { t } from '../../texts/device.ts';
import { responseTexts } from './codes.ts';

const colours = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

const painted = (colour: keyof typeof colours, text: string): string => `\x1b[${colours[colour]}m${text}\x1b[0m`;

/** Ends of lines as a terminal wants them. */
const terminalLines = (text: string): string => text.replace(/\r?\n|\r/g, '\r\n');

/** What a module answered, as the terminal shows it: its text, and under it the response code with its meaning. */
export function responseText({ code, data }: { readonly code: number; readonly data: string }): string {
  const text = terminalLines(data.replace(/[\r\n]+$/, ''));
  const meaning = responseTexts[code] ?? t.codeOfItsOwn;
  // Some commands answer with the meaning alone.
  const shown = text === '' || text === meaning ? '' : `${text}\r\n`;
  return `${shown}${painted(code === 0 ? 'green' : 'red', `[${code}] ${meaning}`)}\r\n`;
}

const advice: Readonly<Record<string, string>> = {
  DEVICE_OFFLINE: t.commandsReachItAsSoon,
  DEVICE_SILENT: t.itMayBeBusyOr,
  DEVICE_REFUSED: t.ifRemoteCommandsAreOff,
  FORBIDDEN: t.ownerOfDeviceOrManager,
  UNREACHABLE: t.checkThatServiceRunsThen,
};

/** Why a line was not answered, as the terminal shows it, with what to do. */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return `${painted('yellow', t.noLongerWaitingForAnswer)}\r\n`;
  const help = advice[error.code];
  return `${painted('red', `${error.message}.`)}${help ? ` ${terminalLines(help)}` : ''}\r\n`;
}
