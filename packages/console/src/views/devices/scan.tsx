import { t } from '../../texts/scan.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Scanner } from '../../ui/scanner.tsx';
import { deviceIn } from './device-code.ts';

/** Reads codes on labels until one is that of a device, and hands over what that names it by. */
export const openScan = (onDevice: (identifier: string) => void): void =>
  openDialog({ title: t.scanCode }, (close) => (
    <Scanner
      onText={(text) => {
        const identifier = deviceIn(text);
        if (identifier === undefined) return t.isNoDevice(text);
        close();
        onDevice(identifier);
        return undefined;
      }}
    />
  ));
