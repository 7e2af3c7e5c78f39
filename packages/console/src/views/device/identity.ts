/** Bytes of the hardware uuid of a device. */
const uuidBytes = 20;
/** Hexadecimal digits of the part id of a platform, with which the uuids of its devices begin. */
const partDigits = 8;

/** Code of the platform whose devices are programs: anybody may make them, and owns what is made. */
export const softwarePlatform = 'SOFT';

/** Makes a hardware uuid by chance, of the platform with this part id. */
export function randomUuid(partId: string | null, fill: (bytes: Uint8Array) => Uint8Array): string {
  const digits = Array.from(fill(new Uint8Array(uuidBytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return partId === null ? digits : partId.toLowerCase() + digits.slice(partDigits);
}

/** Why a text is no hardware uuid of this platform; undefined when it is one. */
export function uuidProblem(uuid: string, partId: string | null): string | undefined {
  if (!/^[0-9a-f]{40}$/i.test(uuid)) return `It has 40 hexadecimal digits; these are ${uuid.length} characters`;
  if (partId === null || uuid.toLowerCase().startsWith(partId.toLowerCase())) return undefined;
  return `The uuids of this platform begin with ${partId}`;
}
