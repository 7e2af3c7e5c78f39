import type { Result } from '@moorage/base';
import type { DeviceFile, DeviceFiles, FileWriter, NewFile } from '@moorage/device';
import type { NewFile as NewFlashFile } from '../device/flash.ts';
import { defaultFileType, type FileInfo, type FlashError, fileFlags, fileTypes } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import { makeRoom } from './update-space.ts';

/** The module's flash, as its device client sees it. A class, so that a thousand modules share its functions. */
export class FlashFiles implements DeviceFiles {
  readonly #flash: Flash;

  constructor(flash: Flash) {
    this.#flash = flash;
  }

  list(): readonly DeviceFile[] {
    return this.#flash.list().map(deviceFile);
  }

  stat(name: string): DeviceFile | undefined {
    const info = this.#flash.stat(name);
    return info && deviceFile(info);
  }

  create(file: NewFile): Promise<Result<FileWriter, FlashError>> {
    if (file.purpose === 'update') return makeRoom(this.#flash, flashFile(file), file.bundled);
    return file.purpose === 'requested' ? this.#flash.place(flashFile(file)) : this.#flash.create(flashFile(file));
  }

  readAll(name: string, maxBytes: number): Promise<Result<Uint8Array, 'missing' | 'too-large'>> {
    return this.#flash.readAll(name, maxBytes);
  }

  remove(name: string): Promise<unknown> {
    return this.#flash.remove(name, { force: true });
  }
}

const deviceFile = ({ name, size, crc, version, flags }: FileInfo): DeviceFile => ({
  name,
  size,
  crc,
  version,
  isSecret: (flags & (fileFlags.system | fileFlags.encrypted)) !== 0,
});

/** Flags that files of these types have besides `valid`. Reference: flash 2.2. */
const flagsOfType: Readonly<Record<number, number>> = {
  [fileTypes.recoveryProgram]: fileFlags.executable | fileFlags.system | fileFlags.bootable,
  [fileTypes.radioFirmware]: fileFlags.system,
  [fileTypes.firstProgram]: fileFlags.executable | fileFlags.system | fileFlags.bootable,
  [fileTypes.program]: fileFlags.executable | fileFlags.system | fileFlags.bootable,
};

const flashFile = (file: NewFile): NewFlashFile => ({
  name: file.name,
  size: file.size,
  version: file.version,
  crc: file.crc,
  replace: true,
  ...typeAndFlags(file),
});

function typeAndFlags(file: NewFile): Pick<NewFlashFile, 'type' | 'flags'> {
  const { valid, system, user, essential, unprotected } = fileFlags;
  switch (file.purpose) {
    case 'identity':
      return { type: fileTypes.certificate, flags: valid | system };
    case 'requested':
      return { type: defaultFileType, flags: valid | user };
    case 'update': {
      const { type, flags } = file;
      const letters = (flags.includes('e') ? essential : 0) | (flags.includes('u') ? unprotected : 0);
      return { type, flags: valid | (flagsOfType[type] ?? 0) | letters };
    }
  }
}
